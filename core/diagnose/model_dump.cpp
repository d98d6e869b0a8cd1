#include "core/diagnose/model_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/attention/model_stages.h"
#include "core/attention/model_trace.h"
#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/diagnose/dump_axes.h"
#include "core/diagnose/dump_places.h"
#include "core/model/checkpoint.h"

namespace headscope {
namespace {

constexpr double kClearly = 0.5;  // another reading has to come that much nearer to be taken

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

class DumpReader {
 public:
  explicit DumpReader(const Trace& ours) : model_(*ours.model), architecture_(model_.checkpoint->architecture()) {}

  void add(const DumpEntry& theirs) {
    const std::vector<NameMeaning> meanings = meanings_of(theirs.name, architecture_);
    if (meanings.empty()) return dump_.unknown.push_back(theirs.name);
    const Tensor tensor = theirs.read();
    std::vector<Choice> choices;
    bool computed = false;
    for (const NameMeaning& meaning : meanings) {
      const bool of_layers = meaning.row->axes.find('l') != std::string_view::npos;
      if (of_layers && tensor.rank() > 1) {
        computed = true;
        for (std::int64_t l = 0; l < tensor.dim(0); ++l) add_layer(theirs.name, meaning, l, tensor);
        return;
      }
      if (!of_layers)
        computed =
            add_choices(theirs.name, meaning, std::max<std::int64_t>(meaning.layer, 0), tensor, choices) || computed;
    }
    if (!computed) return dump_.others.push_back(theirs.name);
    take(theirs.name, tensor, meanings, choices);
  }

  ModelDump taken() {
    if (hidden_) place_hidden();
    const auto key = [](const DumpTensor& each) { return std::tuple(each.layer, each.part, each.stage); };
    std::stable_sort(dump_.tensors.begin(), dump_.tensors.end(),
                     [&](const DumpTensor& a, const DumpTensor& b) { return key(a) < key(b); });
    std::vector<DumpTensor> kept;
    for (DumpTensor& each : dump_.tensors) {
      if (kept.empty() || key(kept.back()) != key(each)) {
        kept.push_back(std::move(each));
      } else if (!same_bits(kept.back().tensor.values(), each.tensor.values())) {
        throw UsageError("theirs",
                         fmt::format("{} and {} are both {} of layer {}, with other numbers", kept.back().name,
                                     each.name, dump_part_name(each.part, each.stage), each.layer),
                         "one of them");
      }
    }
    dump_.tensors = std::move(kept);
    std::sort(dump_.unknown.begin(), dump_.unknown.end());
    std::sort(dump_.others.begin(), dump_.others.end());
    return std::move(dump_);
  }

 private:
  struct Choice {
    const NameMeaning* meaning;
    AxesReading reading;
    double distance;
  };

  std::int64_t layers() const { return static_cast<std::int64_t>(model_.layers.size()); }
  const Trace& trace_of(std::int64_t layer) const { return *model_.layers[static_cast<std::size_t>(layer)]; }

  void check_layer(const std::string& name, DumpPart part, std::int64_t layer) const {
    const bool behind = part == DumpPart::hidden || part == DumpPart::entering;
    if (layer < layers() + (behind ? 1 : 0)) return;
    throw UsageError("theirs", fmt::format("found {}, of layer {}", name, layer),
                     fmt::format("layers 0 to {}, which {} has", layers() - 1, model_.name));
  }

  DumpPlace place_of(const NameMeaning& meaning, std::int64_t layer) const {
    return dump_place(model_, meaning.row->part, meaning.stage, layer);
  }

  // False where our model has no such thing.
  bool add_choices(const std::string& name, const NameMeaning& meaning, std::int64_t layer, const Tensor& tensor,
                   std::vector<Choice>& choices) {
    const DumpPart part = meaning.row->part;
    check_layer(name, part, layer);
    const DumpPlace place = place_of(meaning, layer);
    if (place.own.empty()) return false;
    const bool last = part == DumpPart::logits || part == DumpPart::final_norm || layer == layers() - 1;
    const bool last_row = last && (part == DumpPart::logits || (meaning.row->ggml && part >= DumpPart::attended));
    const AxesTarget target{place.own, part == DumpPart::stage && is_score_like(meaning.stage), place.heads, last_row};
    for (AxesReading& each : axes_readings(tensor, *meaning.row, target)) {
      const double distance = distance_of(each, place.own);
      choices.push_back({&meaning, std::move(each), distance});
    }
    return true;
  }

  // The first of several readings is taken where none comes clearly nearer to ours.
  void take(const std::string& name, const Tensor& tensor, const std::vector<NameMeaning>& meanings,
            std::vector<Choice>& choices) {
    if (choices.empty()) refuse(name, tensor, meanings);
    std::size_t best = 0;
    for (std::size_t k = 1; k < choices.size(); ++k) {
      if (choices[k].distance < kClearly * choices[best].distance) best = k;
    }
    Choice& chosen = choices[best];
    std::string as = chosen.reading.as;
    const bool another = chosen.meaning->row != choices.front().meaning->row;
    if (as.empty() && another) as = fmt::format("{}, which comes nearest", stage_name(chosen.meaning->stage));
    put(name, *chosen.meaning, std::max<std::int64_t>(chosen.meaning->layer, 0), std::move(chosen.reading), as);
  }

  [[noreturn]] void refuse(const std::string& name, const Tensor& tensor,
                           const std::vector<NameMeaning>& meanings) const {
    std::string expected;
    for (const NameMeaning& each : meanings) {
      const DumpPlace place = place_of(each, std::max<std::int64_t>(each.layer, 0));
      if (place.own.empty()) continue;
      if (!expected.empty()) expected += " or ";
      expected += fmt::format("the numbers of {}, for {} calls {} so", to_string(place.own.shape()), each.row->program,
                              dump_part_name(each.row->part, each.stage));
    }
    throw UsageError("theirs", fmt::format("{} is {}", name, to_string(tensor.shape())), expected);
  }

  void add_layer(const std::string& name, const NameMeaning& meaning, std::int64_t layer, const Tensor& tensor) {
    std::vector<Choice> choices;
    NameMeaning of_layer = meaning;
    of_layer.layer = layer;
    const Tensor part = tensor.sliced(0, layer, layer + 1).dense_copy();
    Shape shape;
    for (int axis = 1; axis < part.rank(); ++axis) shape.push_back(part.dim(axis));
    Axes axes;
    for (int axis = 1; axis < part.rank(); ++axis) axes.push_back(part.axes()[axis]);
    const Tensor one = part.reshaped(shape, axes);
    const std::string called = fmt::format("{}[{}]", name, layer);
    if (!add_choices(called, of_layer, layer, one, choices)) return dump_.others.push_back(called);
    take(called, one, {of_layer}, choices);
  }

  // Puts it where it belongs among the others.
  void put(const std::string& name, const NameMeaning& meaning, std::int64_t layer, AxesReading reading,
           const std::string& as) {
    DumpTensor made{name,  layer, meaning.row->part, meaning.stage, std::move(reading.tensor), reading.first_row,
                    false, as};
    if (made.part == DumpPart::logits || made.part == DumpPart::final_norm) made.layer = layers() - 1;
    dump_.layers = std::max(dump_.layers, layer + (made.part == DumpPart::hidden || layer == layers() ? 0 : 1));
    if (made.part == DumpPart::hidden) hidden_ = std::max(hidden_.value_or(0), layer);
    if (made.part == DumpPart::entering && layer > 0) {
      made.part = DumpPart::leaving;
      --made.layer;
    }
    if (made.stage == StageId::qkv && made.part == DumpPart::stage && trace_of(layer).find(StageId::query_proj)) {
      return put_fused(made);
    }
    dump_.tensors.push_back(std::move(made));
  }

  // The columns of a fused projection as queries, keys and values.
  void put_fused(const DumpTensor& fused) {
    const Inputs& in = *trace_of(fused.layer).inputs;
    const std::int64_t d = in.head_dim, v = in.value_head_dim;
    const bool blocked = architecture_.fused_rows == Architecture::FusedRows::blocked;
    const std::int64_t groups = blocked ? 1 : in.num_kv_heads;
    const std::int64_t queries = in.num_heads / groups * d, keys = in.num_kv_heads / groups * d;
    const std::int64_t values = in.num_kv_heads / groups * v, all = queries + keys + values;
    const auto part = [&](StageId stage, std::int64_t begin, std::int64_t width) {
      const Tensor& own = trace_of(fused.layer).tensor(stage);
      const std::vector<float> from = fused.tensor.values();
      std::vector<float> to;
      for (std::size_t row = 0; row < from.size(); row += static_cast<std::size_t>(all)) {
        const auto first = from.begin() + static_cast<std::ptrdiff_t>(row) + begin;
        to.insert(to.end(), first, first + width);
      }
      DumpTensor made = fused;
      made.stage = stage;
      made.tensor = Tensor::of(own.shape(), own.axes(), std::move(to));
      dump_.tensors.push_back(std::move(made));
    };
    part(StageId::query_proj, 0, queries);
    part(StageId::key_proj, queries, keys);
    part(StageId::value_proj, queries + keys, values);
  }

  bool has_leaving(std::int64_t layer) const {
    return std::any_of(dump_.tensors.begin(), dump_.tensors.end(),
                       [=](const DumpTensor& each) { return each.part == DumpPart::leaving && each.layer == layer; });
  }

  // Hidden state n is what leaves layer n - 1; of the last one the final norm may have been applied.
  void place_hidden() {
    const bool normed = !model_.checkpoint->output_head().final_norm.empty();
    for (DumpTensor& each : dump_.tensors) {
      if (each.part != DumpPart::hidden) continue;
      const std::int64_t number = each.layer;
      each.layer = std::max<std::int64_t>(number - 1, 0);
      const bool last = normed && number > 0 && number == *hidden_;
      each.part = number == 0                       ? DumpPart::entering
                  : last && has_leaving(number - 1) ? DumpPart::final_norm
                                                    : DumpPart::leaving;
      each.may_be_normed = last && each.part == DumpPart::leaving;
    }
    dump_.layers = std::max(dump_.layers, *hidden_);
  }

  const ModelTrace& model_;
  const Architecture& architecture_;
  ModelDump dump_;
  std::optional<std::int64_t> hidden_;  // the highest number of a hidden state
};

}  // namespace

ModelDump model_dump(const Trace& ours, std::span<const DumpEntry> theirs) {
  HEADSCOPE_ASSERT(ours.model != nullptr && !ours.model->final_hidden.empty(), "not a whole model");
  check_one_stack("theirs", *ours.model);
  check_layers_kept("theirs", *ours.model);
  DumpReader reader(ours);
  for (const DumpEntry& each : theirs) reader.add(each);
  return reader.taken();
}

}  // namespace headscope
