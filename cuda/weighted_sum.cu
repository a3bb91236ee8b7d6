/* Head output: each query's mixture of the values, by its weights.
 *
 *     output[query, dim] = sum over key of weights[query, key] * v[key, dim]
 *
 *     numpy    output = weights @ v
 *
 *     weights (R, T), v (T, D) with D = d_v, output (R, D); letters as in mask.cu.
 *
 * As in scores.cu one order of summing holds for all three kernels: 64 keys at a time from zero, then added to the
 * total, tile after tile. Their bits are the same.
 */

#define KEYS 64 /* keys summed from zero */
#define ROWS 32 /* rows of a block of weighted_sum_tiled */
#define DIMS 64 /* dimensions of a block of weighted_sum_tiled */
#define TILES 8 /* tiles of keys that a block of weighted_sum_rows sums at a time */

/* The plain kernel: one thread a number of the output.
 * Launch: blocks of (32, 8) threads over (D, n_rows). Used up to 64 keys. */
extern "C" __global__ void weighted_sum_plain(const float *__restrict__ weights, const float *__restrict__ v,
                                              float *__restrict__ output, const int *__restrict__ rows, int n_rows,
                                              int T, int D)
{
    const int dim = blockIdx.x * blockDim.x + threadIdx.x;
    const int line = blockIdx.y * blockDim.y + threadIdx.y;
    if (dim >= D || line >= n_rows) return;
    const int row = rows ? rows[line] : line;

    float sum = 0.0f;
    for (int first = 0; first < T; first += KEYS) {
        float part = 0.0f;
        for (int key = first; key < min(first + KEYS, T); ++key)
            part = fmaf(weights[(size_t)row * T + key], v[(size_t)key * D + dim], part);
        sum += part;
    }
    output[(size_t)row * D + dim] = sum;
}

/* The kernel for a few rows of many keys, as an edit leaves them: one thread would walk along all keys alone, so 8
 * threads share the keys of one number, a tile of 64 each. Their parts are added in the order of the tiles.
 *
 * Launch: blocks of (32, 8) threads, grid (n_rows, ceil(D / 32)). */
extern "C" __global__ void __launch_bounds__(256)
weighted_sum_rows(const float *__restrict__ weights, const float *__restrict__ v, float *__restrict__ output,
                  const int *__restrict__ rows, int n_rows, int T, int D)
{
    __shared__ float parts[TILES][32];
    const int row = rows ? rows[blockIdx.x] : blockIdx.x;
    const int dim = blockIdx.y * 32 + threadIdx.x;

    float sum = 0.0f;
    for (int first = 0; first < T; first += TILES * KEYS) {
        const int start = min(first + (int)threadIdx.y * KEYS, T), end = min(start + KEYS, T);
        float part = 0.0f;
        if (dim < D)
            for (int key = start; key < end; ++key)
                part = fmaf(weights[(size_t)row * T + key], v[(size_t)key * D + dim], part);
        parts[threadIdx.y][threadIdx.x] = part;
        __syncthreads(); /* all parts are there */
        if (threadIdx.y == 0)
            for (int tile = 0; tile < TILES; ++tile) sum += parts[tile][threadIdx.x];
        __syncthreads(); /* and read before the next ones are left */
    }
    if (threadIdx.y == 0 && dim < D) output[(size_t)row * D + dim] = sum;
}

/* The tiled kernel, for whole squares of many tokens: a block computes 32 rows x 64 dimensions of the output.
 *
 *                 v (T, D)
 *                 +--------+          For each 64 keys it copies 32 x 64 weights and 64 x 64 values to shared
 *                 | 64x64  |          memory; 16 x 16 threads compute 2 rows x 4 dimensions each, so that a thread
 *                 +--------+          reads 2 + 4 numbers for every 8 products.
 *   weights (R, T)    |
 *   +-------+-----+---v----+          Weights lie in shared memory with keys as rows: 2 neighbouring rows of the
 *   | 32x64 | ... | 32x64  | output   square are one 8-byte read. 4 unused columns spread the writes over all
 *   +-------+-----+--------+ (R, D)   banks.
 *
 * Launch: blocks of (16, 16) threads, grid (ceil(D / 64), ceil(R / 32), H). */
extern "C" __global__ void __launch_bounds__(256)
weighted_sum_tiled(const float *__restrict__ weights, const float *__restrict__ v, float *__restrict__ output, int R,
                   int T, int D)
{
    __shared__ __align__(16) float w_tile[KEYS][ROWS + 4];
    __shared__ __align__(16) float v_tile[KEYS][DIMS];
    const int tile_row = blockIdx.y * ROWS, tile_dim = blockIdx.x * DIMS;
    weights += (size_t)blockIdx.z * R * T;
    v += (size_t)blockIdx.z * T * D;
    output += (size_t)blockIdx.z * R * D;

    const int thread = threadIdx.y * 16 + threadIdx.x, lane = thread % 32, warp = thread / 32;
    float sum[2][4] = {};
    for (int first = 0; first < T; first += KEYS) {
        for (int piece = warp; piece < 64; piece += 8) { /* 4 rows x 8 keys at a time, as in scores_tiled */
            const int row = piece / 8 * 4 + lane / 8, key = piece % 8 * 8 + lane % 8;
            const bool is_there = tile_row + row < R && first + key < T;
            w_tile[key][row] = is_there ? weights[(size_t)(tile_row + row) * T + first + key] : 0.0f;
        }
        for (int number = thread; number < KEYS * DIMS; number += 256) {
            const int key = number / DIMS, dim = number % DIMS;
            const bool is_there = first + key < T && tile_dim + dim < D;
            v_tile[key][dim] = is_there ? v[(size_t)(first + key) * D + tile_dim + dim] : 0.0f;
        }
        __syncthreads(); /* the tiles are whole */

        float part[2][4] = {};
#pragma unroll 8
        for (int key = 0; key < KEYS; ++key) { /* keys past T are zeros and change no sum */
            const float2 a = *reinterpret_cast<const float2 *>(&w_tile[key][threadIdx.y * 2]);
            const float4 b = *reinterpret_cast<const float4 *>(&v_tile[key][threadIdx.x * 4]);
            const float weight[2] = {a.x, a.y}, value[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) part[i][j] = fmaf(weight[i], value[j], part[i][j]);
        }
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j) sum[i][j] += part[i][j];
        __syncthreads(); /* all have read the tiles before they are filled again */
    }

#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int row = tile_row + threadIdx.y * 2 + i, dim = tile_dim + threadIdx.x * 4 + j;
            if (row < R && dim < D) output[(size_t)row * D + dim] = sum[i][j];
        }
}
