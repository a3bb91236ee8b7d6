/* Stage 4, softmax: the masked scores of a query become weights that are positive and sum to 1.
 *
 *     top[query]          = the largest masked[query, key] over all keys
 *     total[query]        = sum over key of exp(masked[query, key] - top[query])
 *     weights[query, key] = exp(masked[query, key] - top[query]) / total[query]
 *
 *     numpy    e = np.exp(masked - masked.max(axis=1, keepdims=True))
 *              weights = e / e.sum(axis=1, keepdims=True)
 *
 *     masked and weights (R, T), and may be the same memory; row_max = top and row_sum = total (R,).
 *
 * Subtracting the largest value changes no weight and keeps exp from overflowing. A row that may attend to nothing
 * is -inf throughout: its maximum is -inf, its sum 0, and its weights are 0 by definition, not 0 / 0.
 */

#define MINUS_INFINITY __int_as_float(0xff800000)

/* The plain kernel: one thread a row, three passes, as the formula says.
 * Launch: blocks of 32 threads over n_rows. Used up to 64 keys. */
extern "C" __global__ void softmax_plain(const float *masked, float *weights, float *__restrict__ row_max,
                                         float *__restrict__ row_sum, const int *__restrict__ rows, int n_rows, int T)
{
    const int line = blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= n_rows) return;
    const int row = rows ? rows[line] : line;
    const float *from = masked + (size_t)row * T;
    float *to = weights + (size_t)row * T;

    float top = MINUS_INFINITY;
    for (int key = 0; key < T; ++key) top = fmaxf(top, from[key]);
    const bool is_empty = top == MINUS_INFINITY;

    float total = 0.0f;
    for (int key = 0; key < T && !is_empty; ++key) total += expf(from[key] - top);

    for (int key = 0; key < T; ++key) to[key] = is_empty ? 0.0f : __fdiv_rn(expf(from[key] - top), total);
    row_max[row] = top;
    row_sum[row] = total;
}

/* Part of a row, summed relative to its own maximum. */
struct Part {
    float top, total;
};

/* Brings the sum that has the smaller maximum to the larger one, and adds the two. */
__device__ __forceinline__ Part joined(Part a, Part b)
{
    if (a.top < b.top) {
        const Part larger = b;
        b = a;
        a = larger;
    }
    if (b.top > MINUS_INFINITY) a.total += b.total * expf(b.top - a.top);
    return a;
}

/* The kernel for long rows: one block a row and one pass to its maximum and sum together. Each thread keeps a
 * running maximum; when a larger value comes, what it has summed so far is brought to the new maximum. Then 32
 * threads of a warp join their parts by shuffles, and the warps theirs through shared memory.
 *
 * Launch: 256 threads a block, grid (n_rows, 1, H). Neighbouring threads read neighbouring keys. */
extern "C" __global__ void __launch_bounds__(256)
softmax_rows(const float *masked, float *weights, float *__restrict__ row_max, float *__restrict__ row_sum,
             const int *__restrict__ rows, int n_rows, int R, int T)
{
    __shared__ float tops[32], totals[32];
    const int row = rows ? rows[blockIdx.x] : blockIdx.x;
    const size_t start = ((size_t)blockIdx.z * R + row) * T;
    const float *from = masked + start;
    float *to = weights + start;

    Part mine = {MINUS_INFINITY, 0.0f};
    for (int key = threadIdx.x; key < T; key += blockDim.x) {
        const float value = from[key];
        if (value > mine.top) {
            mine.total = mine.total * expf(mine.top - value) + 1.0f; /* the first time 0 * exp(-inf) = 0 */
            mine.top = value;
        } else if (value > MINUS_INFINITY) {
            mine.total += expf(value - mine.top);
        }
    }

    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int distance = 16; distance > 0; distance /= 2) {
        Part other;
        other.top = __shfl_xor_sync(0xffffffffu, mine.top, distance);
        other.total = __shfl_xor_sync(0xffffffffu, mine.total, distance);
        mine = joined(mine, other);
    }
    if (lane == 0) {
        tops[warp] = mine.top;
        totals[warp] = mine.total;
    }
    __syncthreads(); /* every warp has left its part */

    Part whole = {tops[0], totals[0]};
    for (int other = 1; other < blockDim.x / 32; ++other) {
        const Part part = {tops[other], totals[other]};
        whole = joined(whole, part);
    }
    const bool is_empty = whole.top == MINUS_INFINITY;
    for (int key = threadIdx.x; key < T; key += blockDim.x)
        to[key] = is_empty ? 0.0f : __fdiv_rn(expf(from[key] - whole.top), whole.total);
    if (threadIdx.x == 0) {
        row_max[(size_t)blockIdx.z * R + row] = whole.top;
        row_sum[(size_t)blockIdx.z * R + row] = whole.total;
    }
}
