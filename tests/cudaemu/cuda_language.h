// The part of CUDA C++ that the kernels use, said in the C++ of the host. nvcc.py includes it before a
// kernel's text.
//
// Names that begin with cudaemu_ are given by launch.cpp. A word of CUDA that is missing here is a compile
// error that names it: add it, with what a GPU does.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

// ---- words of the language ----------------------------------------------------------------------

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)  // nvcc.py reads the number, and a launch of more threads is refused
#define __align__(n) __attribute__((aligned(n)))

// nvcc.py replaces `__shared__` inside a kernel by CUDAEMU_SHARED("cudaemu_shared_KERNEL"): all static shared
// memory of one kernel lies in one section, so that it can be measured, and filled with NaN before each
// block.
#define CUDAEMU_SHARED(name) static __attribute__((section(name)))

// ---- where a thread is --------------------------------------------------------------------------

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x = 1, y = 1, z = 1;
};

struct CudaEmuThread {
    uint3 index;          // in its block
    unsigned lane, warp;  // the number in its warp of 32, and which warp
};

#pragma GCC visibility push(default)  // launch.cpp has them, in another library
extern "C" {
extern CudaEmuThread *cudaemu_self;  // the thread that runs now
extern uint3 cudaemu_block;
extern dim3 cudaemu_block_size, cudaemu_grid_size;
void *cudaemu_dynamic_shared();
void cudaemu_syncthreads(int line);
// Leaves `mine` for the other lanes of the warp named in mask and gives what each of them left; a bit of
// `present` is set for each lane that was there. What it gives stays until the exchange after the next.
const uint64_t *cudaemu_exchange(unsigned mask, uint64_t mine, unsigned *present, int line);
}
#pragma GCC visibility pop

#define threadIdx (cudaemu_self->index)
#define blockIdx cudaemu_block
#define blockDim cudaemu_block_size
#define gridDim cudaemu_grid_size
static const int warpSize = 32;

#define __syncthreads() cudaemu_syncthreads(__LINE__)

// ---- warps --------------------------------------------------------------------------------------

// The value of lane `from`. A lane outside the segment gives one's own value, as on a GPU; one that takes no
// part is undefined on a GPU and gives all bits set here, which is a NaN.
template <class T>
inline T cudaemu_shuffle(unsigned mask, T value, int from, int line)
{
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
    uint64_t mine = 0;
    unsigned present;
    std::memcpy(&mine, &value, sizeof(T));
    const uint64_t *all = cudaemu_exchange(mask, mine, &present, line);
    if (from < 0) return value;
    T got;
    if (present >> from & 1)
        std::memcpy(&got, &all[from], sizeof(T));
    else
        std::memset(&got, 0xff, sizeof(T));
    return got;
}

inline int cudaemu_lane() { return (int)cudaemu_self->lane; }
inline int cudaemu_lane_xor(int bits, int width = 32)
{
    const int from = cudaemu_lane() ^ bits;
    return from / width <= cudaemu_lane() / width ? from : -1;
}
inline int cudaemu_lane_plus(int distance, int width = 32)
{
    const int from = cudaemu_lane() + distance;
    return from >= 0 && from < 32 && from / width == cudaemu_lane() / width ? from : -1;
}
inline int cudaemu_lane_at(int lane, int width = 32)
{
    return cudaemu_lane() / width * width + (lane & (width - 1));
}
#define __shfl_xor_sync(mask, value, bits, ...) \
    cudaemu_shuffle(mask, value, cudaemu_lane_xor(bits, ##__VA_ARGS__), __LINE__)
#define __shfl_down_sync(mask, value, distance, ...) \
    cudaemu_shuffle(mask, value, cudaemu_lane_plus(distance, ##__VA_ARGS__), __LINE__)
#define __shfl_up_sync(mask, value, distance, ...) \
    cudaemu_shuffle(mask, value, cudaemu_lane_plus(-(distance), ##__VA_ARGS__), __LINE__)
#define __shfl_sync(mask, value, lane, ...) \
    cudaemu_shuffle(mask, value, cudaemu_lane_at(lane, ##__VA_ARGS__), __LINE__)

inline unsigned cudaemu_ballot(unsigned mask, bool vote, int line)
{
    unsigned present, votes = 0;
    const uint64_t *all = cudaemu_exchange(mask, vote, &present, line);
    for (int lane = 0; lane < 32; ++lane)
        if ((present >> lane & 1) && all[lane]) votes |= 1u << lane;
    return votes;
}
inline unsigned cudaemu_mask(unsigned mask = 0xffffffffu) { return mask; }
#define __ballot_sync(mask, vote) cudaemu_ballot(mask, vote, __LINE__)
#define __any_sync(mask, vote) (cudaemu_ballot(mask, vote, __LINE__) != 0)
#define __syncwarp(...) ((void)cudaemu_ballot(cudaemu_mask(__VA_ARGS__), false, __LINE__))

// ---- numbers ------------------------------------------------------------------------------------

struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

inline float __int_as_float(int bits)
{
    float number;
    std::memcpy(&number, &bits, 4);
    return number;
}
inline int __float_as_int(float number)
{
    int bits;
    std::memcpy(&bits, &number, 4);
    return bits;
}
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __expf(float x) { return expf(x); }
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
template <class T>
inline T __ldg(const T *address)
{
    return *address;
}
template <class T>
inline T min(T a, T b)
{
    return b < a ? b : a;
}
template <class T>
inline T max(T a, T b)
{
    return a < b ? b : a;
}
