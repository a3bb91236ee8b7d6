/* Stage 3, mask: what a query may not see is set to the mask value before softmax.
 *
 *     masked[query, key] = scaled[query, key]   where the query may attend to the key
 *                          fill                 elsewhere: -inf, or any finite number
 *
 *     numpy    masked = np.where(allowed, scaled, fill)
 *
 * Letters, the same in all these files:
 *     R   rows held: queries of one head, one after the other, of which the first stands at key first_row
 *     T   keys            D   dimensions of a vector: d_k of q and k, d_v of v
 *     H   heads, one behind the other in memory, along the z axis of a grid
 * A square is float32 of shape (R, T): rows are queries, columns are keys.
 *
 * `rows` and `keys` list which rows and columns of the square are wanted (int32; NULL: 0, 1, 2, ...). An edit names
 * the few that it changed; all other cells stay as they are.
 */

#define MASK_NONE 0   /* every query sees every key */
#define MASK_CAUSAL 1 /* a query sees itself and what came before it */
#define MASK_ARRAY 2  /* allowed[row, key] says it: uint8 of shape (R, T), 1 = may attend */

/* The one rule of who sees whom. A square of 65,536 x 65,536 has more cells than 32 bits can count, so cells are
 * counted in size_t throughout. */
__device__ __forceinline__ bool may_attend(int mask_kind, const unsigned char *__restrict__ allowed, int first_row,
                                           int row, int key, int T)
{
    if (mask_kind == MASK_CAUSAL) return key <= first_row + row;
    if (mask_kind == MASK_ARRAY) return allowed[(size_t)row * T + key] != 0;
    return true;
}

/* One thread a cell. Launch: blocks of (32, 8) threads over (n_keys, n_rows). */
extern "C" __global__ void mask(const float *scaled, float *masked, const unsigned char *__restrict__ allowed,
                                const int *__restrict__ rows, const int *__restrict__ keys, int n_rows, int n_keys,
                                int T, int first_row, int mask_kind, float fill)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int line = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= n_keys || line >= n_rows) return;
    const int key = keys ? keys[column] : column;
    const int row = rows ? rows[line] : line;

    const size_t cell = (size_t)row * T + key;
    masked[cell] = may_attend(mask_kind, allowed, first_row, row, key, T) ? scaled[cell] : fill;
}
