#include "core/compare/unlike_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "core/attention/model_trace.h"
#include "core/base/thread_pool.h"
#include "core/model/architecture_fields.h"
#include "core/model/inputs.h"
#include "core/model/weight_parts.h"
#include "core/tensor/tensor.h"

namespace headscope {
namespace {

using Part = Architecture::Part;

constexpr std::int64_t kPiece = std::int64_t{1} << 20;  // numbers that are compared at a time

struct NamedPart {
  std::string before;  // of names
  const Checkpoint* model = nullptr;
};

// The model and what it has beside it.
std::vector<NamedPart> parts_of(const Checkpoint& model) {
  std::vector<NamedPart> parts = {{"", &model}};
  for (const auto& [part, before] :
       {std::pair(Part::decoder, "decoder."), {Part::cross, "cross."}, {Part::pool, "pool."}}) {
    if (const auto found = model.part(part); found != nullptr) parts.push_back({before, found.get()});
  }
  return parts;
}

// Queries, keys and values that lie one below the other in one matrix, as three, which other files hold.
std::vector<NamedWeight> without_fused(std::vector<NamedWeight> weights, const LayerWeights& layer) {
  if (!layer.fused() || layer.qkv_layout != QkvLayout::blocked) return weights;
  std::vector<NamedWeight> result;
  for (NamedWeight& each : weights) {
    const std::size_t at = each.name.find(".qkv.");
    if (at == std::string::npos) {
      result.push_back(std::move(each));
      continue;
    }
    const std::int64_t rows = each.tensor.dim(0), keys = layer.fused_key_rows.value_or(rows / 3);
    std::int64_t begin = 0;
    for (const auto& [name, count] : {std::pair("query", rows - 2 * keys), {"key", keys}, {"value", keys}}) {
      result.push_back({each.name.substr(0, at + 1) + name + each.name.substr(at + 4),
                        each.tensor.sliced(0, begin, begin + count), each.role});
      begin += count;
    }
  }
  return result;
}

std::vector<NamedWeight> weights_of(const Checkpoint& model) {
  std::vector<NamedWeight> all;
  for (const NamedPart& part : parts_of(model)) {
    const auto add = [&](std::vector<NamedWeight> weights) {
      for (NamedWeight& each : weights) all.push_back({part.before + each.name, std::move(each.tensor), each.role});
    };
    add(embedding_weights(*part.model));
    for (std::int64_t layer = 0; layer < part.model->architecture().num_layers; ++layer) {
      add(without_fused(block_weights(*part.model, layer), part.model->block(layer).attention));
    }
    add(head_weights(*part.model));
  }
  return all;
}

// Two weights of the same shape, and whether a bit of them differs.
struct Pair {
  const Tensor *a, *b;
  std::size_t place;  // in the list of names
  std::atomic<bool> differs = false;
};

// Rows of a pair that one thread compares.
struct Piece {
  Pair* of;
  Range rows;
};

bool same_bits(const Tensor& a, const Tensor& b, const Range& rows) {
  Region region = whole(a.shape());
  region[0] = rows;
  std::vector<float> left(static_cast<std::size_t>(element_count(region))), right(left.size());
  a.read(region, left);
  b.read(region, right);
  return std::memcmp(left.data(), right.data(), left.size() * sizeof(float)) == 0;
}

void compare_pairs(const std::vector<std::unique_ptr<Pair>>& pairs, int threads, const CancelToken& cancel) {
  std::vector<Piece> pieces;
  for (const auto& pair : pairs) {
    const std::int64_t rows = pair->a->dim(0);
    const std::int64_t step = std::max<std::int64_t>(1, kPiece / std::max<std::int64_t>(1, pair->a->size() / rows));
    for (std::int64_t row = 0; row < rows; row += step)
      pieces.push_back({pair.get(), {row, std::min(rows, row + step)}});
  }
  ThreadPool pool(threads);
  pool.run(static_cast<std::int64_t>(pieces.size()), pieces.size() > 1, [&](std::int64_t at) {
    cancel.check();
    const Piece& piece = pieces[static_cast<std::size_t>(at)];
    if (!piece.of->differs && !same_bits(*piece.of->a, *piece.of->b, piece.rows)) piece.of->differs = true;
  });
}

std::string shape_text(const Tensor& tensor) {
  std::string text;
  for (const std::int64_t size : tensor.shape()) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

}  // namespace

const Checkpoint* whole_checkpoint(const Trace& trace) {
  if (trace.inputs != nullptr && trace.inputs->encoder != nullptr) return trace.inputs->encoder->checkpoint.get();
  return trace.model == nullptr ? nullptr : trace.model->checkpoint.get();
}

std::vector<std::string> unlike_weights(const Checkpoint& a, const Checkpoint& b, int threads,
                                        const CancelToken& cancel) {
  const std::vector<NamedWeight> left = weights_of(a), right = weights_of(b);
  std::map<std::string, const Tensor*> in_b;
  for (const NamedWeight& each : right) in_b[each.name] = &each.tensor;
  std::vector<std::string> reasons(left.size());  // "" where there is none
  std::vector<std::unique_ptr<Pair>> pairs;
  for (std::size_t k = 0; k < left.size(); ++k) {
    const auto found = in_b.find(left[k].name);
    if (found == in_b.end()) {
      reasons[k] = left[k].name + " (in A alone)";
      continue;
    }
    const Tensor &x = left[k].tensor, &y = *found->second;
    in_b.erase(found);
    if (x.shape() != y.shape()) {
      reasons[k] = fmt::format("{} ({} in A, {} in B)", left[k].name, shape_text(x), shape_text(y));
    } else if (!same_storage(x, y)) {
      pairs.push_back(std::make_unique<Pair>());
      pairs.back()->a = &x;
      pairs.back()->b = &y;
      pairs.back()->place = k;
    }
  }
  compare_pairs(pairs, threads, cancel);
  for (const auto& pair : pairs) {
    if (pair->differs) reasons[pair->place] = left[pair->place].name;
  }
  std::erase(reasons, std::string());
  for (const NamedWeight& each : right) {
    if (in_b.contains(each.name)) reasons.push_back(each.name + " (in B alone)");
  }
  return reasons;
}

std::vector<std::string> unlike_settings(const Checkpoint& a, const Checkpoint& b) {
  const std::vector<NamedPart> left = parts_of(a), right = parts_of(b);
  std::vector<std::string> unlike;
  for (const NamedPart& part : left) {
    const auto same = [&](const NamedPart& other) { return other.before == part.before; };
    const auto other = std::find_if(right.begin(), right.end(), same);
    if (other == right.end()) continue;  // its weights are in A alone
    Architecture in_a = part.model->architecture(), in_b = other->model->architecture();
    in_a.family = in_b.family;
    if (in_a == in_b) continue;
    const std::size_t before = unlike.size();
    const auto shown = [](const std::string& json) { return json.empty() ? std::string("not set") : json; };
    for (const ArchitectureField& field : architecture_fields()) {
      const std::string x = field_json(field, in_a), y = field_json(field, in_b);
      if (x != y) unlike.push_back(fmt::format("{}{} {} in A, {} in B", part.before, field.key, shown(x), shown(y)));
    }
    if (unlike.size() == before) unlike.push_back(part.before + "a setting of its layers, positions or inputs");
  }
  return unlike;
}

}  // namespace headscope
