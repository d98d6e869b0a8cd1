#include "core/script/script_mask.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/attention/interventions.h"
#include "core/attention/operation_text.h"
#include "core/request/mask_terms.h"

namespace headscope {
namespace {

// 1 where a cell is hidden, computed when read.
Tensor hidden_tensor(const std::shared_ptr<const Mask>& mask) {
  const HiddenCells& cells = mask->hidden;
  return Tensor::computed({cells.batch(), cells.heads(), cells.query_len(), cells.key_len()},
                          {Axis::batch, Axis::head, Axis::query, Axis::key},
                          [mask](const Region& region, std::span<float> out) {
                            std::vector<std::uint8_t> row(static_cast<std::size_t>(region[3].size()));
                            auto to = out.begin();
                            for (std::int64_t b = region[0].begin; b < region[0].end; ++b) {
                              for (std::int64_t h = region[1].begin; h < region[1].end; ++h) {
                                for (std::int64_t i = region[2].begin; i < region[2].end; ++i) {
                                  mask->hidden.read_row(b, h, i, row, region[3].begin);
                                  to = std::copy(row.begin(), row.end(), to);
                                }
                              }
                            }
                          });
}

void write_term(ScoreLines& c, const MaskTerm& term) {
  const MaskTermInfo& info = mask_term_info(term.kind);
  if (info.python_hidden != nullptr) {
    c.w.line(fmt::format("hidden = hidden | ({})  # {}", info.python_hidden(term.size), spelled(term)));
  }
  if (info.python_added != nullptr && !c.mask.added.empty()) {
    const auto added = [&](std::string_view tensor_of) {
      return info.python_added(c.trace.num_heads(), term.size, tensor_of);
    };
    c.w.line(fmt::format("added = added + {}  # {}", added("torch.tensor"), spelled(term)),
             fmt::format("added = added + np.float32({})  # {}", added("np.float32"), spelled(term)));
  }
}

}  // namespace

bool is_painted(const Request& request) {
  return std::any_of(request.paint.begin(), request.paint.end(), [](const PaintedCells& cells) { return cells.on; });
}

void write_mask(ScoreLines& c) {
  ScriptWriter& w = c.w;
  w.section({StageId::masked_scores}, "mask");
  c.has_mask = true;
  if (!c.trace.inputs->mask_files.empty() || is_painted(c.request)) {
    w.line(fmt::format("hidden = {} != 0", w.data("mask_hidden", hidden_tensor(c.trace.mask))));
    if (!c.mask.added.empty()) w.line("added = " + w.data("mask_added", c.mask.added));
    return;
  }
  const bool bottom = c.request.causal_align == CausalAlign::bottom_right;
  const std::int64_t begin = own_diagonal(c.request, *c.trace.inputs);
  const std::string shift = bottom ? " + key_len - query_len" : begin > 0 ? fmt::format(" + {}", begin) : "";
  w.line(fmt::format("i = torch.arange(query_len)[:, None]{}", shift),
         fmt::format("i = np.arange(query_len)[:, None]{}", shift));
  w.line("j = torch.arange(key_len)[None, :]", "j = np.arange(key_len)[None, :]");
  w.line("hidden = torch.zeros(query_len, key_len, dtype=torch.bool)",
         "hidden = np.zeros((query_len, key_len), dtype=bool)");
  const bool adds = !c.mask.added.empty();
  if (adds) {
    w.line("added = torch.zeros(num_heads, query_len, key_len)",
           "added = np.zeros((num_heads, query_len, key_len), dtype=np.float32)");
  }
  for (const MaskTerm& term : mask_terms_of(c.request, *c.trace.inputs)) write_term(c, term);
  if (has_variant(c.request, Variant::mask_inverted)) w.line("hidden = ~hidden  # mask-inverted");
  if (!c.trace.inputs->weights.bias_k.empty()) {
    w.line("hidden = F.pad(hidden, (0, 1))  # the key of bias_k is never hidden",
           "hidden = np.pad(hidden, ((0, 0), (0, 1)))  # the key of bias_k is never hidden");
    if (adds) w.line("added = F.pad(added, (0, 1))", "added = np.pad(added, ((0, 0), (0, 0), (0, 1)))");
  }
}

}  // namespace headscope
