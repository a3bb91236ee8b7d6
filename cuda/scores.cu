/* Stage 1, scores: how well each query fits each key.
 *
 *     scores[query, key] = sum over dim of q[query, dim] * k[key, dim]
 *
 *     numpy    scores = q @ k.T
 *
 *     q (R, D), k (T, D), scores (R, T); letters as in mask.cu.
 *
 * The order of a sum decides its last bits, so both kernels keep the same one: 32 products at a time are summed from
 * zero, then added to the total. An edit of one row gives the very bits that a full pass gives, and the error grows
 * with the chunks of a sum, not with its terms.
 */

#define CHUNK 32 /* dimensions summed from zero */
#define TILE 64  /* rows and keys of the square that a block of scores_tiled computes */

/* The plain kernel: one thread a cell, which reads its query and its key from global memory.
 * Launch: blocks of (32, 8) threads over (n_keys, n_rows). Used for small documents and for the cells of an edit. */
extern "C" __global__ void scores_plain(const float *__restrict__ q, const float *__restrict__ k, float *scores,
                                        const int *__restrict__ rows, const int *__restrict__ keys, int n_rows,
                                        int n_keys, int T, int D)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int line = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= n_keys || line >= n_rows) return;
    const int key = keys ? keys[column] : column;
    const int row = rows ? rows[line] : line;

    const float *query_vector = q + (size_t)row * D;
    const float *key_vector = k + (size_t)key * D;
    float score = 0.0f;
    for (int first = 0; first < D; first += CHUNK) {
        float part = 0.0f;
        for (int dim = first; dim < min(first + CHUNK, D); ++dim)
            part = fmaf(query_vector[dim], key_vector[dim], part);
        score += part;
    }
    scores[(size_t)row * T + key] = score;
}

/* The tiled kernel, for whole squares of many tokens: the first three stages in one launch.
 *
 *              k (T, D)                     A block computes 64 x 64 cells. For each chunk of 32 dimensions it
 *            +--+------+--+                 copies 64 rows of q and 64 rows of k to shared memory once, instead of
 *            |  | tile |  |                 once for each of the 64 cells that need them.
 *            +--+------+--+
 *   q (R, D)    |      |                    16 x 16 threads, 4 x 4 cells each: a thread reads 4 + 4 numbers for
 *   +----+   +--+------+--+                 every 16 products, and keeps its cells in registers until they are
 *   +----+---+  +------+  +---------        done.
 *   |tile|   |  |64x64 |  | scores (R, T)
 *   +----+---+  +------+  +---------        Rows are stored four cells (16 bytes) at a time where T allows it, so
 *   +----+   +--+------+--+                 neighbouring threads fill whole lines of memory.
 *
 * Launch: blocks of (16, 16) threads, grid (ceil(T / 64), ceil(R / 64), H). scores and scaled may be NULL where
 * nobody looks at them. The tiles lie in shared memory with dimensions as rows, so that 4 neighbouring rows of q or
 * k are one 16-byte read; 4 unused columns spread the writes over all banks. */
extern "C" __global__ void __launch_bounds__(256)
scores_tiled(const float *__restrict__ q, const float *__restrict__ k, float *__restrict__ scores,
             float *__restrict__ scaled, float *__restrict__ masked, const unsigned char *__restrict__ allowed, int R,
             int T, int D, int first_row, int mask_kind, float divisor, float fill)
{
    __shared__ __align__(16) float q_tile[CHUNK][TILE + 4];
    __shared__ __align__(16) float k_tile[CHUNK][TILE + 4];
    const int tile_row = blockIdx.y * TILE, tile_key = blockIdx.x * TILE;
    q += (size_t)blockIdx.z * R * D;
    k += (size_t)blockIdx.z * T * D;

    /* A warp copies 4 rows x 8 dimensions at a time: whole 32-byte pieces of memory, and 32 different banks. */
    const int thread = threadIdx.y * 16 + threadIdx.x, lane = thread % 32, warp = thread / 32;
    float score[4][4] = {};
    for (int first = 0; first < D; first += CHUNK) {
        for (int piece = warp; piece < 64; piece += 8) {
            const int row = piece / 4 * 4 + lane / 8, dim = piece % 4 * 8 + lane % 8;
            const bool is_dim = first + dim < D;
            const int query = tile_row + row, key = tile_key + row;
            q_tile[dim][row] = is_dim && query < R ? q[(size_t)query * D + first + dim] : 0.0f;
            k_tile[dim][row] = is_dim && key < T ? k[(size_t)key * D + first + dim] : 0.0f;
        }
        __syncthreads(); /* the tiles are whole */

        float part[4][4] = {};
#pragma unroll 8
        for (int dim = 0; dim < CHUNK; ++dim) { /* dimensions past D are zeros and change no sum */
            const float4 a = *reinterpret_cast<const float4 *>(&q_tile[dim][threadIdx.y * 4]);
            const float4 b = *reinterpret_cast<const float4 *>(&k_tile[dim][threadIdx.x * 4]);
            const float from_q[4] = {a.x, a.y, a.z, a.w}, from_k[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) part[i][j] = fmaf(from_q[i], from_k[j], part[i][j]);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j) score[i][j] += part[i][j];
        __syncthreads(); /* all have read the tiles before they are filled again */
    }

    const int key = tile_key + threadIdx.x * 4;
    const size_t head = (size_t)blockIdx.z * R * T;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int row = tile_row + threadIdx.y * 4 + i;
        if (row >= R || key >= T) continue;
        float by[4], hidden[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            by[j] = __fdiv_rn(score[i][j], divisor); /* stage 2, as in scale.cu */
            const bool is_seen = key + j < T && may_attend(mask_kind, allowed, first_row, row, key + j, T);
            hidden[j] = is_seen ? by[j] : fill; /* stage 3, as in mask.cu */
        }
        const size_t cell = head + (size_t)row * T + key;
        if (T % 4 == 0) {
            if (scores)
                *reinterpret_cast<float4 *>(scores + cell) =
                    make_float4(score[i][0], score[i][1], score[i][2], score[i][3]);
            if (scaled) *reinterpret_cast<float4 *>(scaled + cell) = make_float4(by[0], by[1], by[2], by[3]);
            *reinterpret_cast<float4 *>(masked + cell) = make_float4(hidden[0], hidden[1], hidden[2], hidden[3]);
        } else {
            for (int j = 0; j < 4 && key + j < T; ++j) {
                if (scores) scores[cell + j] = score[i][j];
                if (scaled) scaled[cell + j] = by[j];
                masked[cell + j] = hidden[j];
            }
        }
    }
}
