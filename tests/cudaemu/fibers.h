// A fiber runs a function on a stack of its own and can be left and entered again. One thread of a block is
// one fiber.
//
// Not safe for threads: the driver lets one launch run at a time.
#pragma once
#include <cstddef>
#include <ucontext.h>

struct Fiber {
    char *stack = nullptr;  // NULL before it starts and after it has ended
    void *stack_pointer = nullptr;
    ucontext_t *context = nullptr;  // only where there is no switch of our own: it is large
    void *asan = nullptr, *tsan = nullptr;
};

void fibers_begin_launch();                       // forgets stacks of fibers that a fault left unfinished
void fiber_prepare(Fiber &fiber);                 // it will start at the next resume
void fiber_resume(Fiber &fiber, void (*body)());  // runs it until it pauses or body returns
void fiber_pause(Fiber &fiber);                   // called by the fiber itself: back to who resumed it
