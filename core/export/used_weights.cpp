#include "core/export/used_weights.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/io/sha256.h"
#include "core/io/tensor_blocks.h"
#include "core/model/checkpoint.h"
#include "core/model/weight_parts.h"
#include "core/model/weights_sha256.h"

namespace headscope {
namespace {

using Part = Architecture::Part;

constexpr std::int64_t kPiece = std::int64_t{1} << 22;  // numbers of a tensor that one thread hashes

void append(std::vector<NamedWeight>& all, std::vector<NamedWeight> more, const std::string& of,
            const std::function<bool(WeightRole)>& wanted) {
  for (NamedWeight& each : more) {
    if (!wanted(each.role)) continue;
    each.name = of + each.name;
    all.push_back(std::move(each));
  }
}

// The weights of the first `layers` of a model; `attention_last`: what follows the last one's attention is left out.
void append_model(std::vector<NamedWeight>& all, const Checkpoint& model, const std::string& of, std::int64_t layers,
                  bool attention_last) {
  append(all, embedding_weights(model), of, [](WeightRole role) { return role != WeightRole::words; });
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    const bool part = attention_last && layer + 1 == layers;
    append(all, block_weights(model, layer), of,
           [part](WeightRole role) { return !part || role == WeightRole::attention; });
  }
}

// Of a decoder, its other half: the attention to itself where the shown one reads the encoder, or the other way round.
void append_other_half(std::vector<NamedWeight>& all, const Inputs& inputs, std::int64_t layers, bool whole) {
  const Part shown = inputs.checkpoint->architecture().part;
  if (shown != Part::decoder && shown != Part::cross) return;
  const auto other = inputs.encoder->checkpoint->part(shown == Part::cross ? Part::decoder : Part::cross);
  if (other == nullptr) return;
  const std::int64_t before = whole || shown == Part::cross ? layers : layers - 1;
  append_model(all, *other, "other.", before, !whole && shown == Part::cross);
}

std::vector<NamedWeight> weights_of(const Inputs& inputs, std::int64_t layers, bool whole) {
  std::vector<NamedWeight> all;
  const auto any = [](WeightRole) { return true; };
  if (inputs.encoder != nullptr) {
    const Checkpoint& encoder = *inputs.encoder->checkpoint;
    append_model(all, encoder, "encoder.", encoder.architecture().num_layers, false);
    append(all, head_weights(encoder), "encoder.", any);
    append_other_half(all, inputs, layers, whole);
  }
  append_model(all, *inputs.checkpoint, "", layers, !whole);
  if (whole) append(all, head_weights(*inputs.checkpoint), "", any);
  std::int64_t experts = 0;
  for (const NamedWeight& each : all) experts += each.role == WeightRole::experts ? each.tensor.size() : 0;
  if (experts > kMostExpertNumbers) {
    std::erase_if(all, [](const NamedWeight& each) { return each.role == WeightRole::experts; });
  }
  return all;
}

// Rows of a tensor that one thread hashes.
struct Piece {
  const NamedWeight* of = nullptr;
  Range rows;
};

// Of every piece on its own, so that threads share the work, and then of these.
std::string hash_of_weights(const std::vector<NamedWeight>& weights, int threads, const CancelToken& cancel) {
  std::vector<Piece> pieces;
  for (const NamedWeight& each : weights) {
    const std::int64_t rows = each.tensor.dim(0);
    if (each.tensor.size() == 0) continue;
    const std::int64_t step = std::max<std::int64_t>(1, kPiece / (each.tensor.size() / rows));
    for (std::int64_t row = 0; row < rows; row += step) pieces.push_back({&each, {row, std::min(rows, row + step)}});
  }
  std::vector<std::array<std::uint8_t, 32>> digests(pieces.size());
  ThreadPool pool(threads);
  pool.run(static_cast<std::int64_t>(pieces.size()), pieces.size() > 1, [&](std::int64_t at) {
    const Piece& piece = pieces[static_cast<std::size_t>(at)];
    Region region = whole(piece.of->tensor.shape());
    if (region.count > 0) region[0] = piece.rows;
    Sha256 sha;
    add_tensor(sha, piece.of->name, part_of(piece.of->tensor, region), cancel);
    digests[static_cast<std::size_t>(at)] = sha.digest();
  });
  Sha256 sha;
  for (const auto& digest : digests) sha.add(digest.data(), digest.size());
  return sha.hex();
}

// The rows of the words that a text has, each once.
void add_words(Sha256& sha, const Inputs& inputs, const CancelToken& cancel) {
  std::vector<std::int64_t> ids = inputs.token_ids;
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  const Tensor words = ids.empty() ? Tensor() : inputs.checkpoint->embedding().word;
  for (const std::int64_t id : ids) {
    if (id < 0 || id >= words.dim(0)) continue;
    Region row = whole(words.shape());
    row[0] = {id, id + 1};
    add_tensor(sha, std::to_string(id), part_of(words, row), cancel);
  }
}

std::string words_hash(const Inputs& inputs, const CancelToken& cancel) {
  if (inputs.token_ids.empty() && (inputs.encoder == nullptr || inputs.encoder->token_ids.empty())) return "";
  Sha256 sha;
  if (inputs.encoder != nullptr) add_words(sha, *inputs.encoder, cancel);
  sha.add("|");
  add_words(sha, inputs, cancel);
  return sha.hex();
}

}  // namespace

std::optional<UsedWeights> used_weights(const Trace& trace, bool whole, const CancelToken& cancel) {
  const Inputs& inputs = *trace.inputs;
  if (inputs.checkpoint == nullptr) return std::nullopt;
  UsedWeights used;
  used.whole = whole;
  used.layers = whole ? inputs.checkpoint->architecture().num_layers : inputs.layer + 1;
  used.sha256 = hash_of_weights(weights_of(inputs, used.layers, whole), trace.request.threads, cancel);
  used.words_sha256 = words_hash(inputs, cancel);
  return used;
}

std::string used_hash(const Trace& trace, const UsedWeights& as, const CancelToken& cancel) {
  const std::int64_t layers = std::min(as.layers, trace.inputs->checkpoint->architecture().num_layers);
  return hash_of_weights(weights_of(*trace.inputs, layers, as.whole), trace.request.threads, cancel);
}

std::string words_hash(const Trace& trace, const CancelToken& cancel) {
  return words_hash(*trace.inputs, cancel);
}

}  // namespace headscope
