#include "fibers.h"
#include <cstdlib>
#include <sys/mman.h>
#include <vector>
#if defined(CUDAEMU_ASAN)  // this file itself is never instrumented: only kernels are watched
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(CUDAEMU_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

#if defined(__x86_64__) && !defined(CUDAEMU_UCONTEXT)
// swapcontext asks the kernel for the signal mask with every switch; this is ten times as fast.
#define OWN_SWITCH 1
extern "C" void cudaemu_switch(void **save_here, void *go_there);
asm(".text\n.globl cudaemu_switch\n.hidden cudaemu_switch\n.type cudaemu_switch,@function\ncudaemu_switch:\n"
    "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\nmov %rsp,(%rdi)\nmov %rsi,%rsp\n"
    "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n");
#endif

namespace {
const size_t STACK = 128 * 1024, PAGE = 4096, MAX_FIBERS = 1024;

// A fiber that ends without a pause hands its stack, still in the cache, to the next one. The vectors never
// grow while fibers run: ThreadSanitizer would see their memory move from thread to thread.
std::vector<char *> all_stacks, free_stacks;
Fiber *running;
void (*running_body)();
[[maybe_unused]] ucontext_t caller;
[[maybe_unused]] void *caller_stack_pointer;

char *take_stack()
{
    if (free_stacks.empty()) {
        char *memory = (char *)mmap(nullptr, STACK + PAGE, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) abort();
        mprotect(memory, PAGE, PROT_NONE);  // a stack that overflows faults
        free_stacks.push_back(memory + PAGE);
        all_stacks.push_back(memory + PAGE);
    }
    char *stack = free_stacks.back();
    free_stacks.pop_back();
    return stack;
}

// ---- what the sanitizers must be told of each switch --------------------------------------------

#if defined(CUDAEMU_ASAN)
const void *caller_stack;
size_t caller_stack_size;
void *caller_asan;
#endif
#if defined(CUDAEMU_TSAN)
void *caller_tsan;
#endif

void announce_resume(Fiber &fiber)
{
    (void)fiber;
#if defined(CUDAEMU_ASAN)
    __sanitizer_start_switch_fiber(&caller_asan, fiber.stack, STACK);
#endif
#if defined(CUDAEMU_TSAN)
    caller_tsan = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber.tsan, __tsan_switch_to_fiber_no_sync);  // so that races between threads show
#endif
}
void announce_resumed()
{
#if defined(CUDAEMU_ASAN)
    __sanitizer_finish_switch_fiber(caller_asan, nullptr, nullptr);
#endif
}
void announce_pause(Fiber &fiber, bool is_last)
{
    (void)fiber, (void)is_last;
#if defined(CUDAEMU_ASAN)
    __sanitizer_start_switch_fiber(is_last ? nullptr : &fiber.asan, caller_stack, caller_stack_size);
#endif
#if defined(CUDAEMU_TSAN)
    __tsan_switch_to_fiber(caller_tsan, __tsan_switch_to_fiber_no_sync);
#endif
}
void announce_entered(Fiber &fiber)
{
    (void)fiber;
#if defined(CUDAEMU_ASAN)
    __sanitizer_finish_switch_fiber(fiber.asan, &caller_stack, &caller_stack_size);
#endif
}

// ---- switching ----------------------------------------------------------------------------------

void leave(Fiber &fiber, bool is_last)
{
    announce_pause(fiber, is_last);
#if defined(OWN_SWITCH)
    cudaemu_switch(&fiber.stack_pointer, caller_stack_pointer);
#else
    swapcontext(fiber.context, &caller);
#endif
    announce_entered(fiber);
}

void entry()
{
    announce_entered(*running);
    running_body();
    free_stacks.push_back(running->stack);
    running->stack = nullptr;
    leave(*running, true);
    abort();  // nobody resumes a fiber that has ended
}

void start(Fiber &fiber)
{
    fiber.stack = take_stack();
#if defined(OWN_SWITCH)
    void **top = (void **)(fiber.stack + STACK - 64);
    top[0] = (void *)entry;
    fiber.stack_pointer = top - 6;  // six registers to pop, then the address that ret takes
#else
    if (!fiber.context) fiber.context = new ucontext_t;
    getcontext(fiber.context);
    fiber.context->uc_stack.ss_sp = fiber.stack;
    fiber.context->uc_stack.ss_size = STACK;
    fiber.context->uc_link = nullptr;
    makecontext(fiber.context, entry, 0);
#endif
}
}  // namespace

void fibers_begin_launch()
{
    all_stacks.reserve(MAX_FIBERS);
    free_stacks.reserve(MAX_FIBERS);
    free_stacks = all_stacks;
}

void fiber_prepare(Fiber &fiber)
{
    fiber.stack = nullptr;
    fiber.asan = nullptr;
#if defined(CUDAEMU_TSAN)
    // Kept from block to block, as making one is slow. Each stays one thread to ThreadSanitizer, in order
    // with itself.
    if (!fiber.tsan) fiber.tsan = __tsan_create_fiber(0);
#endif
}

void fiber_resume(Fiber &fiber, void (*body)())
{
    running = &fiber;
    running_body = body;
    if (!fiber.stack) start(fiber);
    announce_resume(fiber);
#if defined(OWN_SWITCH)
    cudaemu_switch(&caller_stack_pointer, fiber.stack_pointer);
#else
    swapcontext(&caller, fiber.context);
#endif
    announce_resumed();
}

void fiber_pause(Fiber &fiber) { leave(fiber, false); }
