/* Long documents: rows walk over all their keys, a tile at a time, and no square is ever held.
 *
 *     top[row]      = the largest scaled score that the row sees
 *     total[row]    = sum over key of exp(scaled[row, key] - top[row])
 *     weighted[row] = sum over key of exp(scaled[row, key] - top[row]) * (scaled[row, key] - top[row])
 *
 *     numpy    top = scaled.max(axis=1);  e = np.exp(scaled - top[:, None])
 *              total = e.sum(axis=1);     weighted = (e * (scaled - top[:, None])).sum(axis=1)
 *              (scaled is -inf where a key is hidden)
 *
 * Once top and total of a row are known, any weight of it is one product and one exponential away:
 *
 *     weights[row, key] = exp(masked[row, key] - top[row]) / total[row]
 *
 * and its entropy is ln(total) - weighted / total, so that neither asks for the square again.
 *
 * Letters: R  rows of a walk, any queries of one head: rows[row] is the query      D  dimensions of q and k
 *          q (n_query, D) and k (n_key, D) whole; a row of a walk counts from 0, a key always from the first of all
 *
 * A picture of a region pools it as pool.cu does, in two steps, since the rows of a bin come one walk after another:
 * walk_keys pools keys to (columns, R), pool_rows pools those rows to a picture's rows.
 */

/* What the rows of a walk see. Every rule of positions says the same in ranges: a row sees the keys of its
 * half-open ranges, but for those hidden from all. What no rule says comes as an array. */
struct Seen {
    const int *ranges;                /* (n_ranges, 2, R): the first key and the one after the last */
    const unsigned char *hidden_keys; /* (n_key,), 1 = hidden from every row; NULL: none is */
    const unsigned char *allowed;     /* (R, n_allowed) of the keys from first_allowed, 1 = may attend; NULL: ranges */
    int n_ranges, first_allowed, n_allowed;
};

__device__ __forceinline__ bool sees(const Seen &seen, int R, int row, int key)
{
    if (seen.allowed) return seen.allowed[(size_t)row * seen.n_allowed + (key - seen.first_allowed)] != 0;
    if (seen.hidden_keys && seen.hidden_keys[key]) return false;
    for (int range = 0; range < seen.n_ranges; ++range)
        if (seen.ranges[2 * range * R + row] <= key && key < seen.ranges[(2 * range + 1) * R + row]) return true;
    return false;
}

/* The scores of 64 rows x 64 keys, as in scores_tiled: 16 x 16 threads with 4 x 4 cells each, summed in the same
 * order, so to the same bits. Keys from last_key on, and rows from R on, are zeros. */
__device__ __forceinline__ void score_tile(const float *__restrict__ q, const float *__restrict__ k,
                                           const int *__restrict__ rows, int R, int D, int tile_row, int tile_key,
                                           int last_key, float (*q_tile)[TILE + 4], float (*k_tile)[TILE + 4],
                                           float score[4][4])
{
    const int thread = threadIdx.y * 16 + threadIdx.x, lane = thread % 32, warp = thread / 32;
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) score[i][j] = 0.0f;
    for (int first = 0; first < D; first += CHUNK) {
        for (int piece = warp; piece < 64; piece += 8) {
            const int line = piece / 4 * 4 + lane / 8, dim = piece % 4 * 8 + lane % 8;
            const bool is_dim = first + dim < D;
            const int row = tile_row + line, key = tile_key + line;
            q_tile[dim][line] = is_dim && row < R ? q[(size_t)rows[row] * D + first + dim] : 0.0f;
            k_tile[dim][line] = is_dim && key < last_key ? k[(size_t)key * D + first + dim] : 0.0f;
        }
        __syncthreads(); /* the tiles are whole */

        float part[4][4] = {};
#pragma unroll 8
        for (int dim = 0; dim < CHUNK; ++dim) {
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
}

/* Sums over some keys of a row, relative to the largest of them. */
struct Walked {
    float top, total, weighted;
};

/* The same sums relative to a top that is as large or larger. */
__device__ __forceinline__ Walked raised(Walked sums, float top)
{
    if (sums.top > MINUS_INFINITY && sums.top < top) {
        const float fall = sums.top - top, factor = expf(fall);
        sums.weighted = (sums.weighted + fall * sums.total) * factor;
        sums.total *= factor;
    }
    sums.top = top;
    return sums;
}

/* The blocked pass. A block takes 64 rows and walks along one slice of the keys, 64 at a time. Of each tile it keeps
 * three numbers a row in registers, and of each bin of keys the largest and smallest score in memory:
 *
 *             slice of k                      The square of a tile lies in shared memory with keys as rows, so that
 *        +------+------+------+               neighbouring threads read neighbouring rows of the walk.
 *        | 64x64|  ->  |      |
 *   rows +------+------+------+               Four threads share a row: each sums 16 keys of every tile, and their
 *        |  top, total, weighted              sums are joined at the end. What the slices of one row give is
 *        |  high, low of each bin             joined by who asked: a few numbers a row.
 *
 * Two blocks on a processor leave room for all cells in registers; without the 2 some compilers make room for more.
 *
 * Launch: blocks of (16, 16) threads, grid (slices, ceil(R / 64)). slices (n, 2) are half-open ranges of keys; no bin
 * may lie in two slices of one launch. Results may be NULL where nobody looks at them:
 *     part_top, part_total, part_weighted (slices, R)
 *     high, low (columns, R): scores that are seen, pooled over bins of bin_keys keys from first_key to last_key; they
 *               go on from what they hold, -inf and inf at the beginning
 *     sums, counts (columns, R): the weights of a bin added up, and how many cells of it are seen. They need top and
 *               total (R,) of the whole rows; else these are NULL. */
extern "C" __global__ void __launch_bounds__(256, 2)
walk_keys(const float *__restrict__ q, const float *__restrict__ k, const int *__restrict__ rows,
          const int *__restrict__ slices, const int *__restrict__ ranges,
          const unsigned char *__restrict__ hidden_keys, const unsigned char *__restrict__ allowed,
          const float *__restrict__ top, const float *__restrict__ total, float *__restrict__ part_top,
          float *__restrict__ part_total, float *__restrict__ part_weighted, float *high, float *low, float *sums,
          float *counts, int R, int D, int n_ranges, int first_allowed, int n_allowed, int first_key, int last_key,
          int bin_keys, float divisor)
{
    __shared__ __align__(16) float q_tile[CHUNK][TILE + 4];
    __shared__ __align__(16) float k_tile[CHUNK][TILE + 4];
    __shared__ __align__(16) float square[TILE][TILE + 4];
    __shared__ float tops[4][TILE], totals[4][TILE], weighteds[4][TILE];
    const Seen seen = {ranges, hidden_keys, allowed, n_ranges, first_allowed, n_allowed};
    const int tile_row = blockIdx.y * TILE, end = slices[2 * blockIdx.x + 1];
    const int thread = threadIdx.y * 16 + threadIdx.x, line = thread % TILE, quarter = thread / TILE;

    Walked mine = {MINUS_INFINITY, 0.0f, 0.0f};
    for (int tile_key = slices[2 * blockIdx.x]; tile_key < end; tile_key += TILE) {
        float score[4][4];
        score_tile(q, k, rows, R, D, tile_row, tile_key, end, q_tile, k_tile, score);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int key = tile_key + threadIdx.x * 4 + j;
            float column[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int row = tile_row + threadIdx.y * 4 + i;
                column[i] = row < R && key < end && sees(seen, R, row, key) ? score[i][j] : MINUS_INFINITY;
            }
            *reinterpret_cast<float4 *>(&square[threadIdx.x * 4 + j][threadIdx.y * 4]) =
                make_float4(column[0], column[1], column[2], column[3]);
        }
        __syncthreads(); /* the square is whole; the barriers of the next tile's scores let all read it */

        if (part_top) {
            float highest = MINUS_INFINITY;
            for (int key = quarter * 16; key < quarter * 16 + 16; ++key) highest = fmaxf(highest, square[key][line]);
            if (highest > MINUS_INFINITY) {
                mine = raised(mine, fmaxf(mine.top, __fdiv_rn(highest, divisor)));
                float more = 0.0f, more_weighted = 0.0f;
                for (int key = quarter * 16; part_total && key < quarter * 16 + 16; ++key)
                    if (square[key][line] > MINUS_INFINITY) {
                        const float below = __fdiv_rn(square[key][line], divisor) - mine.top, e = expf(below);
                        more += e;
                        more_weighted = fmaf(e, below, more_weighted);
                    }
                mine.total += more;
                mine.weighted += more_weighted;
            }
        }

        const int from = max(tile_key, first_key), to = min(min(tile_key + TILE, end), last_key);
        if (!high || from >= to) continue;
        const int first_bin = (from - first_key) / bin_keys, n_bins = (to - 1 - first_key) / bin_keys - first_bin + 1;
        for (int item = thread; item < TILE * n_bins; item += 256) {
            const int row = tile_row + item % TILE, bin = first_bin + item / TILE;
            if (row >= R) continue;
            const int start = max(from, first_key + bin * bin_keys), stop = min(to, first_key + (bin + 1) * bin_keys);
            const size_t cell = (size_t)bin * R + row;
            float largest = high[cell], smallest = low[cell], sum = 0.0f, count = 0.0f;
            for (int key = start; key < stop; ++key) {
                const float value = square[key - tile_key][item % TILE];
                if (value == MINUS_INFINITY) continue;
                largest = fmaxf(largest, value);
                smallest = fminf(smallest, value);
                if (sums) sum += expf(fminf(__fdiv_rn(value, divisor) - top[row], 0.0f));
                count += 1.0f;
            }
            high[cell] = largest;
            low[cell] = smallest;
            if (sums) {
                if (total[row] > 0.0f) sums[cell] += __fdiv_rn(sum, total[row]);
                counts[cell] += count;
            }
        }
    }
    if (!part_top) return;

    tops[quarter][line] = mine.top;
    totals[quarter][line] = mine.total;
    weighteds[quarter][line] = mine.weighted;
    __syncthreads(); /* every thread has left its sums */
    const int row = tile_row + line;
    if (quarter > 0 || row >= R) return;
    for (int other = 1; other < 4; ++other) {
        const Walked part = {tops[other][line], totals[other][line], weighteds[other][line]};
        const float larger = fmaxf(mine.top, part.top);
        mine = raised(mine, larger);
        const Walked more = raised(part, larger);
        mine.total += more.total;
        mine.weighted += more.weighted;
    }
    const size_t at = (size_t)blockIdx.x * R + row;
    part_top[at] = mine.top;
    if (part_total) part_total[at] = mine.total;
    if (part_weighted) part_weighted[at] = mine.weighted;
}

/* From what walk_keys pooled of each row to a picture's rows: row `line` of the picture stands for the rows
 * places[starts[line]] ... places[starts[line + 1] - 1] of the walk.
 *
 *     highs, lows (n_lines, columns): the largest and the smallest score; -inf and inf where none is seen
 *     weights: the largest weight, which is that of the row's largest score; with sums the sum of weights
 *     seen:    with sums how many cells are seen
 *
 *     numpy    highs = np.maximum.reduceat(high[:, places], starts, axis=1).T
 *              weights = np.maximum.reduceat(np.exp(high / divisor - top)[:, places] / total[places], ...).T
 *
 * One thread a cell of the picture; launch: blocks of (32, 8) threads over (columns, n_lines). */
extern "C" __global__ void pool_rows(const float *__restrict__ high, const float *__restrict__ low,
                                     const float *__restrict__ sums, const float *__restrict__ counts,
                                     const float *__restrict__ top, const float *__restrict__ total,
                                     const int *__restrict__ places, const int *__restrict__ starts,
                                     float *__restrict__ highs, float *__restrict__ lows, float *__restrict__ weights,
                                     float *__restrict__ seen, int R, int columns, int n_lines, float divisor)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int line = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= columns || line >= n_lines) return;

    float largest = MINUS_INFINITY, smallest = -MINUS_INFINITY, weight = 0.0f, count = 0.0f;
    for (int index = starts[line]; index < starts[line + 1]; ++index) {
        const int row = places[index];
        const size_t cell = (size_t)column * R + row;
        largest = fmaxf(largest, high[cell]);
        smallest = fminf(smallest, low[cell]);
        if (sums) {
            weight += sums[cell];
            count += counts[cell];
        } else if (total[row] > 0.0f) { /* the same sum in another order may come out above top */
            const float below = fminf(__fdiv_rn(high[cell], divisor) - top[row], 0.0f);
            weight = fmaxf(weight, __fdiv_rn(expf(below), total[row]));
        }
    }
    const size_t at = (size_t)line * columns + column;
    highs[at] = largest;
    lows[at] = smallest;
    weights[at] = weight;
    if (sums) seen[at] = count;
}

/* Scores and weights of some cells of rows whose statistics are known: a picture of single cells, or weights on
 * their way to weighted_sum_tiled, which mixes values with them.
 *
 *     masked[row, key]  = scaled where the row sees the key, else fill
 *     weights[row, key] = exp(masked[row, key] - top[row]) / total[row];   0 for a row that sees nothing
 *
 *     scores and weights (R, n_keys) of the keys from first_key; scores may be NULL
 *
 * Launch: blocks of (16, 16) threads, grid (ceil(n_keys / 64), ceil(R / 64)). */
extern "C" __global__ void __launch_bounds__(256, 2)
known_cells(const float *__restrict__ q, const float *__restrict__ k, const int *__restrict__ rows,
            const int *__restrict__ ranges, const unsigned char *__restrict__ hidden_keys,
            const unsigned char *__restrict__ allowed, const float *__restrict__ top, const float *__restrict__ total,
            float *__restrict__ scores, float *__restrict__ weights, int R, int D, int n_ranges, int first_allowed,
            int n_allowed, int first_key, int n_keys, float divisor, float fill)
{
    __shared__ __align__(16) float q_tile[CHUNK][TILE + 4];
    __shared__ __align__(16) float k_tile[CHUNK][TILE + 4];
    const Seen seen = {ranges, hidden_keys, allowed, n_ranges, first_allowed, n_allowed};
    const int tile_row = blockIdx.y * TILE, tile_key = first_key + blockIdx.x * TILE, end = first_key + n_keys;
    float score[4][4];
    score_tile(q, k, rows, R, D, tile_row, tile_key, end, q_tile, k_tile, score);

#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int row = tile_row + threadIdx.y * 4 + i;
        if (row >= R) continue;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int key = tile_key + threadIdx.x * 4 + j;
            if (key >= end) continue;
            const float masked = sees(seen, R, row, key) ? __fdiv_rn(score[i][j], divisor) : fill;
            const size_t cell = (size_t)row * n_keys + (key - first_key);
            if (scores) scores[cell] = score[i][j];
            weights[cell] =
                total[row] > 0.0f ? __fdiv_rn(expf(fminf(masked - top[row], 0.0f)), total[row]) : 0.0f;
        }
    }
}
