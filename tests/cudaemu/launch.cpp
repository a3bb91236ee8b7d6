// Blocks run one after another; a block's threads are fibers that run one at a time, each until it returns or
// reaches a barrier. The order of threads and blocks is forward, reverse or shuffled (CUDAEMU_ORDER), so that
// what depends on an order shows. What this cannot show: races between blocks, and anything about time.
#include "launch.h"
#include "cuda_language.h"
#include "fibers.h"
#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <sys/mman.h>
#include <vector>
#if defined(CUDAEMU_TSAN)
#include <sanitizer/tsan_interface.h>
#define HAPPENS_BEFORE(address) __tsan_release(address)
#define HAPPENS_AFTER(address) __tsan_acquire(address)
#else
#define HAPPENS_BEFORE(address)
#define HAPPENS_AFTER(address)
#endif
#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim

CudaEmuThread *cudaemu_self;
uint3 cudaemu_block;
dim3 cudaemu_block_size, cudaemu_grid_size;

namespace {
enum State { READY, AT_BLOCK_BARRIER, AT_WARP_BARRIER, RETURNED };

struct Thread : CudaEmuThread {
    Fiber fiber;
    State state;
    int line;          // of the barrier it waits at
    unsigned mask;     // lanes that the warp barrier names
    unsigned present;  // those of them that were there when it let them go
    unsigned n_barriers, n_exchanges;
};

const size_t PAGE = 4096;
const unsigned WARP = 32, MAX_THREADS = 1024;
Thread all_threads[MAX_THREADS];
int n_threads;
Thread *self;
const CudaEmuKernel *kernel;
const unsigned char *parameters;
char *dynamic_shared;
size_t dynamic_bytes;
char message[256];
// Addresses only, by which ThreadSanitizer is told who waited for whom. Barriers take two in turn: a thread
// that is already at the next one has not been waited for by those that still leave this one.
[[maybe_unused]] char block_start, block_barrier[2], block_end;
// What lanes leave for each other. Two in turn: a lane can be at most one exchange ahead of another.
uint64_t exchanged[2][MAX_THREADS / WARP][WARP];

int fail(int code, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(message, sizeof message, format, values);
    va_end(values);
    return code;
}

void run_thread()
{
    HAPPENS_AFTER(&block_start);
    kernel->call(parameters);
    HAPPENS_BEFORE(&block_end);
    self->state = RETURNED;
}

// ---- barriers -----------------------------------------------------------------------------------

// The threads of a warp that `waiting` names, or NULL for a lane that is not in the block.
Thread *lane_of(const Thread &waiting, unsigned lane)
{
    const int i = (int)(waiting.warp * WARP + lane);
    return waiting.mask >> lane & 1 && i < n_threads ? &all_threads[i] : nullptr;
}

// Lets the lanes go on whose warp barrier is complete: every lane named that has not returned waits at the
// same line.
int release_warps(int &released)
{
    for (int i = 0; i < n_threads; ++i) {
        Thread &waiting = all_threads[i];
        if (waiting.state != AT_WARP_BARRIER) continue;
        if (!(waiting.mask >> waiting.lane & 1))
            return fail(LAUNCH_BAD_SYNC,
                        "line %d: lane %u calls a warp primitive whose mask 0x%08x excludes it", waiting.line,
                        waiting.lane, waiting.mask);
        const unsigned mask = waiting.mask;
        const int line = waiting.line;
        bool is_complete = true;
        for (unsigned lane = 0; lane < WARP; ++lane)
            if (const Thread *other = lane_of(waiting, lane); other && other->state != RETURNED)
                is_complete &= other->state == AT_WARP_BARRIER && other->mask == mask && other->line == line;
        if (!is_complete) continue;
        unsigned present = 0;
        for (unsigned lane = 0; lane < WARP; ++lane)
            if (const Thread *other = lane_of(waiting, lane); other && other->state == AT_WARP_BARRIER)
                present |= 1u << lane;
        for (unsigned lane = 0; lane < WARP; ++lane)
            if (present >> lane & 1) {
                Thread &other = *lane_of(waiting, lane);
                other.state = READY;
                other.present = present;
                ++released;
            }
    }
    return LAUNCH_OK;
}

int release_block(int n_waiting, int n_returned, int &released)
{
    if (n_waiting == 0 || n_waiting + n_returned < n_threads) return LAUNCH_OK;
    int line = 0;
    for (int i = 0; i < n_threads; ++i) {
        const Thread &thread = all_threads[i];
        if (thread.state != AT_BLOCK_BARRIER) continue;
        if (line && thread.line != line)
            return fail(LAUNCH_BAD_SYNC, "__syncthreads() reached at different lines: %d and %d", line,
                        thread.line);
        line = thread.line;
    }
    if (n_returned)
        return fail(LAUNCH_BAD_SYNC, "line %d: __syncthreads() with %d of %d threads already returned", line,
                    n_returned, n_threads);
    for (int i = 0; i < n_threads; ++i) all_threads[i].state = READY;
    released = n_threads;
    return LAUNCH_OK;
}

int deadlock(int n_returned)
{
    int at_block = 0, at_warp = 0;  // a line of each, 0: nobody waits there
    for (int i = 0; i < n_threads; ++i) {
        if (all_threads[i].state == AT_BLOCK_BARRIER) at_block = all_threads[i].line;
        if (all_threads[i].state == AT_WARP_BARRIER) at_warp = all_threads[i].line;
    }
    return fail(LAUNCH_DEADLOCK,
                "deadlock in block (%u,%u,%u): %d of %d threads returned, some wait for the block at line "
                "%d, some for "
                "their warp at line %d",
                cudaemu_block.x, cudaemu_block.y, cudaemu_block.z, n_returned, n_threads, at_block, at_warp);
}

int run_block(const std::vector<int> &order)
{
    HAPPENS_BEFORE(&block_start);
    for (int i = 0; i < n_threads; ++i) {
        all_threads[i].state = READY;
        all_threads[i].n_barriers = all_threads[i].n_exchanges = 0;
        fiber_prepare(all_threads[i].fiber);
    }
    for (;;) {
        for (int i : order)
            if (all_threads[i].state == READY) {
                cudaemu_self = self = &all_threads[i];
                fiber_resume(self->fiber, run_thread);
            }
        int n_returned = 0, n_waiting = 0, released = 0;
        for (int i = 0; i < n_threads; ++i) {
            n_returned += all_threads[i].state == RETURNED;
            n_waiting += all_threads[i].state == AT_BLOCK_BARRIER;
        }
        if (n_returned == n_threads) break;
        if (int code = release_warps(released)) return code;
        if (!released)
            if (int code = release_block(n_waiting, n_returned, released)) return code;
        if (!released) return deadlock(n_returned);
    }
    HAPPENS_AFTER(&block_end);
    return LAUNCH_OK;
}

// ---- order --------------------------------------------------------------------------------------

struct Order {
    bool is_reverse = false, is_shuffled = false;
    std::mt19937 random;

    Order()
    {
        const char *wish = getenv("CUDAEMU_ORDER");
        if (!wish) return;
        is_reverse = !strcmp(wish, "reverse");
        is_shuffled = !strncmp(wish, "seed:", 5);
        if (is_shuffled) random.seed(atoi(wish + 5));
    }
};

// The i-th block to run. A shuffle of very many would need too much memory: i times a number that has no
// divisor in common with n visits all of them too.
size_t block_at(const Order &order, size_t i, size_t n, size_t step)
{
    if (order.is_reverse) return n - 1 - i;
    return order.is_shuffled ? (size_t)((unsigned __int128)i * step % n) : i;
}

// Not memset: a sanitizer watches that one, and would object to the gaps that it put between shared arrays.
void fill_with_nan(char *begin, char *end)
{
    for (; begin + 8 <= end; begin += 8) *(volatile uint64_t *)begin = ~(uint64_t)0;
    for (; begin < end; ++begin) *(volatile char *)begin = (char)0xff;
}

int run_blocks()
{
    static std::vector<int> threads;  // static: a fault leaves by a long jump
    Order order;
    threads.resize(n_threads);
    std::iota(threads.begin(), threads.end(), 0);
    if (order.is_reverse) std::reverse(threads.begin(), threads.end());
    const dim3 grid = cudaemu_grid_size;
    const size_t n_blocks = (size_t)grid.x * grid.y * grid.z;
    size_t step = 1;
    if (order.is_shuffled) do
            step = order.random() % n_blocks + 1;
        while (std::gcd(step, n_blocks) != 1);
    const char *wish = getenv("CUDAEMU_BLOCKS");
    const bool is_first_and_last = wish && !strcmp(wish, "ends");
    for (size_t i = 0; i < n_blocks; ++i) {
        if (is_first_and_last && i > 0) i = n_blocks - 1;
        const size_t block = block_at(order, i, n_blocks, step);
        cudaemu_block = {(unsigned)(block % grid.x), (unsigned)(block / grid.x % grid.y),
                         (unsigned)(block / grid.x / grid.y)};
        // All bits set are a NaN: what a block reads before it wrote it shows in the numbers.
        fill_with_nan(kernel->shared, kernel->shared_end);
        fill_with_nan(dynamic_shared, dynamic_shared + dynamic_bytes);
        if (order.is_shuffled) std::shuffle(threads.begin(), threads.end(), order.random);
        if (int code = run_block(threads)) return code;
    }
    return LAUNCH_OK;
}

// ---- faults -------------------------------------------------------------------------------------

sigjmp_buf before_launch;
void *volatile fault_address;

void on_fault(int, siginfo_t *info, void *)
{
    fault_address = info->si_addr;
    siglongjmp(before_launch, 1);
}

// Runs the blocks with SIGSEGV and SIGBUS turned into an error of the launch. The handler needs a stack of
// its own, as the fault may be a fiber's stack that overflowed.
int run_blocks_guarded()
{
    static char handler_stack[65536];
    struct sigaction action{}, old_segv, old_bus;
    stack_t stack{}, old_stack;
    stack.ss_sp = handler_stack;
    stack.ss_size = sizeof handler_stack;
    sigaltstack(&stack, &old_stack);
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, &old_segv);
    sigaction(SIGBUS, &action, &old_bus);
    int code;
    if (sigsetjmp(before_launch, 1) == 0)
        code = run_blocks();
    else
        code = fail(LAUNCH_FAULT, "illegal address %p in block (%u,%u,%u), thread (%u,%u,%u)", fault_address,
                    cudaemu_block.x, cudaemu_block.y, cudaemu_block.z, self->index.x, self->index.y,
                    self->index.z);
    sigaction(SIGSEGV, &old_segv, nullptr);
    sigaction(SIGBUS, &old_bus, nullptr);
    sigaltstack(&old_stack, nullptr);
    return code;
}
}  // namespace

// ---- what kernels call --------------------------------------------------------------------------

void *cudaemu_dynamic_shared() { return dynamic_shared; }

void cudaemu_syncthreads(int line)
{
    [[maybe_unused]] char *barrier = &block_barrier[self->n_barriers++ & 1];
    HAPPENS_BEFORE(barrier);
    self->state = AT_BLOCK_BARRIER;
    self->line = line;
    fiber_pause(self->fiber);
    HAPPENS_AFTER(barrier);
}

const uint64_t *cudaemu_exchange(unsigned mask, uint64_t mine, unsigned *present, int line)
{
    uint64_t *left = exchanged[self->n_exchanges++ & 1][self->warp];
    left[self->lane] = mine;
    self->mask = mask;
    self->line = line;
    self->state = AT_WARP_BARRIER;
    HAPPENS_BEFORE(left);
    fiber_pause(self->fiber);
    HAPPENS_AFTER(left);
    *present = self->present;
    return left;
}

// ---- what the driver calls ----------------------------------------------------------------------

const char *cudaemu_launch_error() { return message; }

int cudaemu_launch(const CudaEmuKernel &wanted, const unsigned char *values, const unsigned grid[3],
                   const unsigned block[3], size_t dynamic_shared_bytes, bool catch_faults)
{
    message[0] = 0;
    kernel = &wanted;
    parameters = values;
    cudaemu_grid_size = {grid[0], grid[1], grid[2]};
    cudaemu_block_size = {block[0], block[1], block[2]};
    n_threads = (int)(block[0] * block[1] * block[2]);
    for (unsigned i = 0; i < (unsigned)n_threads; ++i) {
        all_threads[i].index = {i % block[0], i / block[0] % block[1], i / (block[0] * block[1])};
        all_threads[i].lane = i % WARP;
        all_threads[i].warp = i / WARP;
    }
    fibers_begin_launch();

    // Dynamic shared memory ends at a page that traps.
    dynamic_bytes = dynamic_shared_bytes;
    const size_t pages = (dynamic_bytes + PAGE - 1) / PAGE * PAGE;
    char *memory =
        (char *)mmap(nullptr, pages + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) abort();
    mprotect(memory + pages, PAGE, PROT_NONE);
    dynamic_shared = memory + pages - (dynamic_bytes + 15) / 16 * 16;

    const int code = catch_faults ? run_blocks_guarded() : run_blocks();
    munmap(memory, pages + PAGE);
    return code;
}
