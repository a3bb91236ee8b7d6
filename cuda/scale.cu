/* Stage 2, scale: scores grow with the number of dimensions; dividing keeps softmax from becoming a hard choice.
 *
 *     scaled[query, key] = scores[query, key] / divisor,   divisor = sqrt(d_k) * scale strength
 *
 *     numpy    scaled = scores / np.float32(np.sqrt(d_k) * scale_strength)
 *
 * Shapes and letters as in mask.cu. A true division, not a product with 1 / divisor: the arithmetic that the window
 * shows then holds to the last bit.
 */

/* One thread a cell. Launch: blocks of (32, 8) threads over (n_keys, n_rows). */
extern "C" __global__ void scale(const float *scores, float *scaled, const int *__restrict__ rows,
                                 const int *__restrict__ keys, int n_rows, int n_keys, int T, float divisor)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int line = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= n_keys || line >= n_rows) return;
    const int key = keys ? keys[column] : column;
    const int row = rows ? rows[line] : line;

    const size_t cell = (size_t)row * T + key;
    scaled[cell] = __fdiv_rn(scores[cell], divisor);
}
