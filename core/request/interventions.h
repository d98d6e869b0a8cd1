// The interventions of a request as plain values: numbers changed by hand, heads held still, cells painted over.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace headscope {

struct LayerHead {
  std::int64_t layer = 0;
  std::int64_t head = 0;
  friend bool operator==(const LayerHead&, const LayerHead&) = default;
};

// In each of them `on` false means: listed, without effect. A hash is made of `fields`.

// A head whose context is 0.
struct AblatedHead {
  LayerHead place;
  bool on = true;
  auto fields() const { return std::tie(place, on); }
  friend bool operator==(const AblatedHead&, const AblatedHead&) = default;
};

// One number of a stage, or of a tensor of the layer's weights, replaced once it is there; all that comes after
// follows.
struct NumberEdit {
  std::string tensor;                 // a stage, or a tensor by the name that its file gives it
  std::vector<std::int64_t> index;    // in the tensor's own axes
  float value = 0;                    // never NaN
  std::optional<std::int64_t> layer;  // of a model; nothing: the layer that is shown
  bool on = true;
  auto fields() const { return std::tie(tensor, index, value, layer, on); }
  friend bool operator==(const NumberEdit&, const NumberEdit&) = default;
};

// The weights of a head, held at what no score decides.
struct FrozenHead {
  enum class As { uniform, identity };  // 1 / visible keys each; 1 at the query's own place
  LayerHead place;
  As as = As::uniform;
  bool on = true;
  auto fields() const { return std::tie(place, as, on); }
  friend bool operator==(const FrozenHead&, const FrozenHead&) = default;
};

// What multiplies the stage `query` or `key`; of `key` the head is a key and value head.
struct HeadFactor {
  std::optional<LayerHead> place;  // nothing: every head of every layer
  double factor = 1.0;
  bool on = true;
  auto fields() const { return std::tie(place, factor, on); }
  friend bool operator==(const HeadFactor&, const HeadFactor&) = default;
};

// A rectangle of the mask, hidden or shown whatever lies below it; what lies beyond the scores is cut off.
struct PaintedCells {
  static constexpr std::int64_t kToTheEnd = std::numeric_limits<std::int64_t>::max();
  bool hides = true;
  std::int64_t query_begin = 0, query_end = kToTheEnd;
  std::int64_t key_begin = 0, key_end = kToTheEnd;
  bool on = true;
  auto fields() const { return std::tie(hides, query_begin, query_end, key_begin, key_end, on); }
  friend bool operator==(const PaintedCells&, const PaintedCells&) = default;
};

// The interventions of a request, each list in the order in which it was made. Every list has its row in
// core/request/intervention_kinds.h.
struct Interventions {
  std::vector<AblatedHead> ablate;  // those that are on come first
  std::vector<FrozenHead> freeze;
  std::vector<HeadFactor> scale_query, scale_key;
  std::vector<NumberEdit> edits;
  std::vector<PaintedCells> paint;

  friend bool operator==(const Interventions&, const Interventions&) = default;
};

}  // namespace headscope
