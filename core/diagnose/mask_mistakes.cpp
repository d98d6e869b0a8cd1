// This table lists mistakes in masks.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "core/diagnose/mistake_rows.h"

namespace headscope {
namespace {

using S = StageId;
using Kind = MaskTerm::Kind;

// Every term, of the request and of the model.
std::vector<MaskTerm*> terms_of(Altered& what, Kind kind) {
  std::vector<MaskTerm*> terms;
  for (std::vector<MaskTerm>* list : {&what.request.mask, &what.inputs.own_mask}) {
    for (MaskTerm& term : *list) {
      if (term.kind == kind) terms.push_back(&term);
    }
  }
  return terms;
}

bool erase_terms(Altered& what, Kind kind) {
  bool erased = false;
  for (std::vector<MaskTerm>* list : {&what.request.mask, &what.inputs.own_mask}) {
    erased = std::erase_if(*list, [=](const MaskTerm& term) { return term.kind == kind; }) > 0 || erased;
  }
  return erased;
}

template <LayerFaults::MaskUse use>
bool use_mask(Altered& what, int) {
  what.faults.mask_use = use;
  return has_mask(what);
}

bool fill_0(Altered& what, int) {
  return fill_with(what, 0);
}
bool fill_tiny(Altered& what, int) {
  return fill_with(what, 1e-9);
}
bool fill_minus_1(Altered& what, int) {
  return fill_with(what, -1);
}
bool fill_large(Altered& what, int) {
  return fill_with(what, 1e9);
}
// -1e9, the lowest number of float16, and that of float32.
template <int place>
bool fill_low(Altered& what, int) {
  constexpr double kLow[] = {-1e9, -65504, -3.4028234663852886e38};
  return fill_with(what, kLow[place]);
}

template <LayerFaults::Hide hide>
bool hide_causal(Altered& what, int) {
  if (terms_of(what, Kind::causal).empty()) return false;
  what.faults.hide = hide;
  return true;
}

template <int more>
bool change_window(Altered& what, int) {
  const std::vector<MaskTerm*> windows = terms_of(what, Kind::window);
  for (MaskTerm* term : windows) {
    term->size += more;
    if (term->size < 0) return false;
  }
  return !windows.empty();
}

// A window of both sides shows the keys before a query alone.
bool halve_window(Altered& what, int) {
  if (terms_of(what, Kind::window).empty() || !terms_of(what, Kind::causal).empty()) return false;
  what.request.mask.push_back({Kind::causal, 0, ""});
  return true;
}

// The number of keys that the terms padding:N hide together; they are taken away.
std::int64_t taken_padding(Altered& what) {
  std::int64_t most = 0;
  for (const MaskTerm* term : terms_of(what, Kind::padding)) most = std::max(most, term->size);
  erase_terms(what, Kind::padding);
  return most;
}

bool pad_left(Altered& what, int) {
  what.faults.hide_first_keys = taken_padding(what);
  return what.faults.hide_first_keys > 0;
}
bool pad_queries(Altered& what, int) {
  what.faults.hide_last_queries = taken_padding(what);
  return what.faults.hide_last_queries > 0;
}
bool mask_of_first_item(Altered& what, int) {
  what.faults.hide = LayerFaults::Hide::first_item;
  return what.inputs.batch > 1 && !what.inputs.mask_files.empty();
}

// Takes away the file of the request's term at that place; false where it is not there.
bool leave_file_out(Altered& what, std::size_t place) {
  // The request's files stand in the order of its terms, behind those that the model brings.
  const auto first = what.request.mask.begin() + static_cast<std::ptrdiff_t>(place);
  const std::ptrdiff_t from_end =
      std::count_if(first, what.request.mask.end(), [](const MaskTerm& term) { return term.kind == Kind::file; });
  std::vector<MaskFile>& files = what.inputs.mask_files;
  if (from_end > std::ssize(files) || (files.end() - from_end)->path != first->path) return false;
  files.erase(files.end() - from_end);
  return true;
}

// A prefix that every query sees is causal where it is left out.
bool leave_prefix_out(Altered& what) {
  const std::vector<MaskTerm*> prefixes = terms_of(what, Kind::prefix);
  for (MaskTerm* term : prefixes) *term = {Kind::causal, 0, ""};
  return !prefixes.empty();
}

constexpr int kMostParts = 4;

// Leaves out the term of that number, of the request's and the model's own; the last one is what keeps packed texts
// apart, and beyond kMostParts the prefix. A term that only adds a bias of positions has a mistake of its own.
bool leave_part_out(Altered& what, int variation) {
  if (variation == kMostParts) return leave_prefix_out(what);
  const bool packed = !what.request.lengths.empty() && !what.inputs.mask_files.empty();
  const std::size_t own = what.request.mask.size(), terms = own + what.inputs.own_mask.size();
  const std::size_t all = terms + (packed ? 1 : 0);
  const auto place = static_cast<std::size_t>(variation);
  if (all < 2 || place >= all) return false;
  if (place == terms) {
    what.inputs.mask_files.erase(what.inputs.mask_files.begin());  // it stands before those of the request
    return true;
  }
  const MaskTerm& part = place < own ? what.request.mask[place] : what.inputs.own_mask[place - own];
  if (is_position_bias(what.inputs, part)) return false;
  if (place >= own) {
    what.inputs.own_mask.erase(what.inputs.own_mask.begin() + static_cast<std::ptrdiff_t>(place - own));
    return true;
  }
  if (what.request.mask[place].kind == Kind::file && !leave_file_out(what, place)) return false;
  what.request.mask.erase(what.request.mask.begin() + variation);
  return true;
}

// Rows and columns of every mask file that has as many of both; a model's bias of positions is no file.
bool transpose_files(Altered& what, int) {
  bool changed = false;
  for (MaskFile& file : what.inputs.mask_files) {
    if (!file.rows.empty()) continue;
    const Tensor& old = file.values;
    const int rank = old.rank();
    if (rank < 2 || rank > 4 || old.dim(rank - 1) != old.dim(rank - 2) || old.dim(rank - 1) < 2) continue;
    file.values = (rank == 2   ? old.permuted({1, 0})
                   : rank == 3 ? old.permuted({0, 2, 1})
                               : old.permuted({0, 1, 3, 2}))
                      .dense_copy();
    changed = true;
  }
  return changed;
}

constexpr MistakeRow kRows[] = {
    {"mask-added-as-01", S::masked_scores, "the mask of 0 and 1 is added to the scores and hides nothing",
     "scores + mask", "{hide}", use_mask<LayerFaults::MaskUse::adds_one_where_visible>},
    {"mask-fill-0", S::masked_scores, "hidden scores are 0", "scores.masked_fill(~mask, 0)", "{hide}", fill_0},
    {"mask-multiplied", S::masked_scores, "scores are multiplied by the mask of 0 and 1", "scores * mask", "{hide}",
     use_mask<LayerFaults::MaskUse::multiplies>},
    {"mask-fill-1e-9", S::masked_scores, "hidden scores are 1e-9", "scores.masked_fill(~mask, 1e-9)", "{hide}",
     fill_tiny},
    {"mask-fill-minus-1", S::masked_scores, "hidden scores are -1", "scores.masked_fill(~mask, -1)", "{hide}",
     fill_minus_1},
    {"mask-fill-1e9", S::masked_scores, "hidden scores are +1e9", "scores.masked_fill(~mask, 1e9)", "{hide}",
     fill_large},
    {"mask-fill-minus-1e9", S::masked_scores, "hidden scores are -1e9", "scores.masked_fill(~mask, -1e9)", "{hide}",
     fill_low<0>},
    {"mask-fill-float16-min", S::masked_scores, "hidden scores are -65504, the lowest number of float16",
     "scores.masked_fill(~mask, torch.finfo(torch.float16).min)", "{hide}", fill_low<1>},
    {"mask-fill-float32-min", S::masked_scores, "hidden scores are the lowest number of float32",
     "scores.masked_fill(~mask, torch.finfo(torch.float32).min)", "{hide}", fill_low<2>},
    {"causal-strict", S::masked_scores, "a query does not see its own place", "torch.tril(ones, -1)",
     "torch.tril(ones)", hide_causal<LayerFaults::Hide::diagonal_too>},
    {"causal-plus-one", S::masked_scores, "a query sees the key behind its own place", "torch.tril(ones, 1)",
     "torch.tril(ones)", hide_causal<LayerFaults::Hide::one_more_shown>},
    {"causal-transposed", S::masked_scores, "a query sees its own place and later ones", "torch.triu(ones)",
     "torch.tril(ones)", hide_causal<LayerFaults::Hide::transposed>},
    {"window-plus-one", S::masked_scores, "the window shows one key more on each side", "(i - j).abs() <= window + 1",
     "(i - j).abs() <= window", change_window<1>},
    {"window-minus-one", S::masked_scores, "the window shows one key less on each side", "(i - j).abs() < window",
     "(i - j).abs() <= window", change_window<-1>},
    {"window-one-sided", S::masked_scores, "the window shows no later keys", "(0 <= i - j) & (i - j <= window)",
     "(i - j).abs() <= window", halve_window},
    {"padding-left", S::masked_scores, "the padding is hidden at the beginning and not at the end", "mask[..., :pad]",
     "mask[..., -pad:]", pad_left},
    {"padding-on-queries", S::masked_scores, "the rows of padded queries are hidden and not their keys",
     "padding[:, None, :, None]", "padding[:, None, None, :]", pad_queries},
    {"padding-first-item", S::masked_scores, "the mask of the first batch item is used for all", "mask[0]", "mask",
     mask_of_first_item},
    {"mask-part-missing", S::masked_scores, "one part of the mask is not applied", "mask = causal",
     "mask = causal & padding & same_text", leave_part_out, kMostParts + 1},
    {"mask-file-transposed", S::masked_scores, "rows and columns of the mask file are exchanged",
     "mask.transpose(-2, -1)", "mask", transpose_files},
};

}  // namespace

std::span<const MistakeRow> mask_mistakes() {
  return kRows;
}

}  // namespace headscope
