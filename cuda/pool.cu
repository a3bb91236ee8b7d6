/* Pooling: a picture of more cells than a screen has pixels. One cell of the picture stands for a bin, bin_rows x
 * bin_keys cells of the square, and no lone peak is lost:
 *
 *     pool_largest    of scores: the value of largest magnitude, the positive one of two equal ones; -inf for none
 *     pool_maximum    of weights: the largest; 0 for none
 *
 * Only cells that the mask allows count. The picture has ceil(n_rows / bin_rows) x ceil(n_keys / bin_keys) cells and
 * shows rows 0 ... n_rows of the square and keys first_key ... first_key + n_keys; bins at its end may be smaller.
 *
 *     numpy    np.maximum.reduceat over both axes, where hidden cells are -inf (weights: 0)
 *
 * Letters and mask as in mask.cu. One thread a bin; launch: blocks of (32, 8) threads over the picture.
 */

/* The bin of a thread: half-open ranges of rows and keys of the square. */
struct Bin {
    int row, last_row, key, last_key;
};

__device__ __forceinline__ Bin bin_of(int line, int column, int first_key, int n_rows, int n_keys, int bin_rows,
                                      int bin_keys)
{
    Bin bin;
    bin.row = line * bin_rows;
    bin.last_row = min(bin.row + bin_rows, n_rows);
    bin.key = first_key + column * bin_keys;
    bin.last_key = min(bin.key + bin_keys, first_key + n_keys);
    return bin;
}

extern "C" __global__ void pool_largest(const float *__restrict__ values, float *__restrict__ picture,
                                        const unsigned char *__restrict__ allowed, int first_row, int T, int first_key,
                                        int n_keys, int n_rows, int bin_rows, int bin_keys, int mask_kind)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x, columns = (n_keys + bin_keys - 1) / bin_keys;
    const int line = blockIdx.y * blockDim.y + threadIdx.y, lines = (n_rows + bin_rows - 1) / bin_rows;
    if (column >= columns || line >= lines) return;
    const Bin bin = bin_of(line, column, first_key, n_rows, n_keys, bin_rows, bin_keys);

    float high = MINUS_INFINITY, low = -MINUS_INFINITY;
    for (int row = bin.row; row < bin.last_row; ++row)
        for (int key = bin.key; key < bin.last_key; ++key)
            if (may_attend(mask_kind, allowed, first_row, row, key, T)) {
                const float value = values[(size_t)row * T + key];
                high = fmaxf(high, value);
                low = fminf(low, value);
            }
    picture[(size_t)line * columns + column] = high >= -low ? high : low;
}

extern "C" __global__ void pool_maximum(const float *__restrict__ values, float *__restrict__ picture,
                                        const unsigned char *__restrict__ allowed, int first_row, int T, int first_key,
                                        int n_keys, int n_rows, int bin_rows, int bin_keys, int mask_kind)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x, columns = (n_keys + bin_keys - 1) / bin_keys;
    const int line = blockIdx.y * blockDim.y + threadIdx.y, lines = (n_rows + bin_rows - 1) / bin_rows;
    if (column >= columns || line >= lines) return;
    const Bin bin = bin_of(line, column, first_key, n_rows, n_keys, bin_rows, bin_keys);

    float largest = 0.0f;
    for (int row = bin.row; row < bin.last_row; ++row)
        for (int key = bin.key; key < bin.last_key; ++key)
            if (may_attend(mask_kind, allowed, first_row, row, key, T))
                largest = fmaxf(largest, values[(size_t)row * T + key]);
    picture[(size_t)line * columns + column] = largest;
}
