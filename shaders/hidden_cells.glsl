// HiddenCells of core/request/mask.h for the rows of one dispatch: row = (matrix, query), matrix = (batch, head). A
// row of the mask is either two runs of visible keys (begin, end, begin, end), or one bit a key, 1 = hidden.

layout(std430, binding = 7) readonly buffer HiddenCells { uint mask_words[]; };
uniform uint mask_row_words;  // 0: nothing is hidden
uniform bool mask_has_runs;
uniform uvec2 mask_sizes;  // batches and heads of the mask, 1 for all
uniform uint mask_heads;   // heads of the dispatch
uniform uint mask_queries;

uint mask_row(uint row) {
  uint matrix = row / mask_queries;
  uint b = mask_sizes.x == 1u ? 0u : matrix / mask_heads;
  uint h = mask_sizes.y == 1u ? 0u : matrix % mask_heads;
  return ((b * mask_sizes.y + h) * mask_queries + row % mask_queries) * mask_row_words;
}

bool is_hidden(uint row, uint j) {
  if (mask_row_words == 0u) return false;
  uint at = mask_row(row);
  if (mask_has_runs) {
    bool first = mask_words[at] <= j && j < mask_words[at + 1u];
    bool second = mask_words[at + 2u] <= j && j < mask_words[at + 3u];
    return !first && !second;
  }
  return (mask_words[at + j / 32u] >> (j % 32u) & 1u) != 0u;
}
