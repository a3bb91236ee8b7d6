/* Small kernels that show what the emulated driver catches; each does one thing right or wrong. */

extern "C" __global__ void copy(const float *from, float *to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

extern "C" __global__ void write_at(float *to, int at)
{
    to[at] = 1.0f;
}

/* Half of the threads leave before the barrier. */
extern "C" __global__ void leave_before_barrier(float *to)
{
    if (threadIdx.x % 2) return;
    __syncthreads();
    to[threadIdx.x] = 1.0f;
}

extern "C" __global__ void two_barriers(float *to)
{
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
    to[threadIdx.x] = 1.0f;
}

/* A warp waits for lanes that wait for the block. */
extern "C" __global__ void wait_for_each_other(float *to)
{
    if (threadIdx.x < 16)
        to[threadIdx.x] = __shfl_xor_sync(0xffffffffu, 1.0f, 16);
    else
        __syncthreads();
}

extern "C" __global__ void name_others_only(float *to)
{
    to[threadIdx.x] = __shfl_xor_sync(0x0000ffffu, 1.0f, 1);
}

extern "C" __global__ void read_unwritten_shared(float *to)
{
    __shared__ float numbers[64];
    to[threadIdx.x] = numbers[threadIdx.x];
}

/* Sum over a warp in both ways, then to the end of the row by the first lane's value. */
extern "C" __global__ void warp_sums(const float *from, float *by_xor, float *by_down, float *first)
{
    float a = from[threadIdx.x], b = a;
    for (int distance = 16; distance > 0; distance /= 2) {
        a += __shfl_xor_sync(0xffffffffu, a, distance);
        b += __shfl_down_sync(0xffffffffu, b, distance);
    }
    __syncwarp();
    by_xor[threadIdx.x] = a;
    by_down[threadIdx.x] = b;
    first[threadIdx.x] = __shfl_sync(0xffffffffu, b, 0);
}

extern "C" __global__ void reverse_in_dynamic_shared(float *numbers, int n)
{
    extern __shared__ float room[];
    room[threadIdx.x] = numbers[threadIdx.x];
    __syncthreads();
    numbers[threadIdx.x] = room[n - 1 - threadIdx.x];
}

extern "C" __global__ void __launch_bounds__(64) at_most_64(float *to)
{
    to[threadIdx.x] = 1.0f;
}

extern "C" __global__ void too_much_shared(float *to)
{
    __shared__ float numbers[12289]; /* 48 KB and 4 bytes */
    numbers[threadIdx.x] = 1.0f;
    __syncthreads();
    to[threadIdx.x] = numbers[12288 - threadIdx.x];
}
