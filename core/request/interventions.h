// The interventions of a request as plain values: numbers changed by hand, heads held still, cells painted over.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace headscope {

struct LayerHead {
  std::int64_t layer = 0;
  std::int64_t head = 0;
  friend bool operator==(const LayerHead&, const LayerHead&) = default;
};

// Every kind of intervention has `on`: false means that it is listed and has no effect. Its hash is made of `fields()`.

// A head whose context is 0.
struct AblatedHead {
  LayerHead place;
  bool on = true;
  auto fields() const { return std::tie(place, on); }
  friend bool operator==(const AblatedHead&, const AblatedHead&) = default;
};

// One number of a stage, or of a tensor of the layer's weights, replaced once it is computed or read; later stages are
// computed from the new number.
struct NumberEdit {
  std::string tensor;                 // the name of a stage, or of a tensor in its file
  std::vector<std::int64_t> index;    // in the tensor's own axes
  float value = 0;                    // never NaN
  std::optional<std::int64_t> layer;  // of a model; nullopt: the layer that is shown
  bool on = true;
  auto fields() const { return std::tie(tensor, index, value, layer, on); }
  friend bool operator==(const NumberEdit&, const NumberEdit&) = default;
};

// A head whose weights do not depend on its scores.
struct FrozenHead {
  enum class As { uniform, identity };  // 1/n for each of n visible keys; 1 at the query's own key
  LayerHead place;
  As as = As::uniform;
  bool on = true;
  auto fields() const { return std::tie(place, as, on); }
  friend bool operator==(const FrozenHead&, const FrozenHead&) = default;
};

// A factor of the stage `query` or `key`. For `key` the head is a key and value head.
struct HeadFactor {
  std::optional<LayerHead> place;  // nullopt: every head of every layer
  double factor = 1.0;
  bool on = true;
  auto fields() const { return std::tie(place, factor, on); }
  friend bool operator==(const HeadFactor&, const HeadFactor&) = default;
};

// Numbers of a stage that are put in from another run, `--patch`: those of the run of Request::patch_from.
struct PatchedStage {
  std::string stage;                     // the name of a stage, kStreamPatch or kMlpPatch
  std::optional<std::int64_t> layer;     // of a model; nullopt: the layer that is shown
  std::optional<std::int64_t> head;      // nullopt: every head
  std::optional<std::int64_t> position;  // of a row: a query's, of key and value a key's; nullopt: every one
  bool on = true;
  auto fields() const { return std::tie(stage, layer, head, position, on); }
  friend bool operator==(const PatchedStage&, const PatchedStage&) = default;
};

// What enters a layer of a model, before the layer's norm.
inline constexpr const char* kStreamPatch = "stream";
// What the MLP of a layer of a model adds to the stream, after a norm of it where there is one.
inline constexpr const char* kMlpPatch = "mlp_out";
// Whether a patch of this name puts in rows of a model's stream, [batch, len, d_model], and not a stage of attention.
inline bool patches_stream(std::string_view stage) {
  return stage == kStreamPatch || stage == kMlpPatch;
}

// What the attention of a layer adds to the stream: the stage `output`, or `attention_norm_out` in a model with a norm
// there.
inline constexpr const char* kAttentionArray = "attention_out";

// This is what becomes of a place of a stage under the user's own array.
enum class ArrayUse {
  set,          // the array's numbers
  add,          // its own, and the array's times a factor
  project_out,  // its own, x, without their part along the array, d: x - (x . d / |d|^2) d
};

// Places are counted from the front, or below 0 from the end; both ends are in.
struct PlaceSpan {
  std::int64_t first = 0, last = 0;
  friend bool operator==(const PlaceSpan&, const PlaceSpan&) = default;
};

// It counts the places that there were before a text grew, of queries and of keys (core/generate).
struct PromptSize {
  std::int64_t queries = 0, keys = 0;
  friend bool operator==(const PromptSize&, const PromptSize&) = default;
};

// The user's own array changes numbers of a stage once they are computed: `--set`, `--add`, `--project-out`. The
// array has one row for all chosen places, one for each, or the stage's whole shape (core/attention/stage_arrays.h).
struct StageArray {
  ArrayUse use = ArrayUse::set;
  std::string stage;                  // the name of a stage, kStreamPatch, kMlpPatch or kAttentionArray
  std::optional<std::int64_t> layer;  // of a model; nullopt: the layer that is shown
  std::optional<std::int64_t> head;   // nullopt: every head
  std::optional<PlaceSpan> places;    // of rows: queries, of key and value keys; nullopt: every one
  std::string file;                   // FILE.npy; "": `number`
  float number = 0;                   // never NaN
  double factor = 1.0;                // of ArrayUse::add
  bool on = true;
  std::string sha256;                     // of the array that a session was saved with; "": whatever the file holds
  std::vector<std::int64_t> shape = {};   // of `values`
  std::vector<float> values = {};         // the array itself, where a session carries it; empty: it lies in the file
  std::optional<PromptSize> prompt = {};  // of a text that grows: places that are not there are left out
  auto fields() const { return std::tie(use, stage, layer, head, file, number, factor, on, sha256); }
  friend bool operator==(const StageArray&, const StageArray&) = default;
};

// A rectangle of the mask that is hidden or shown, whatever the mask says of its cells. Parts beyond the scores are
// ignored.
struct PaintedCells {
  static constexpr std::int64_t kToTheEnd = std::numeric_limits<std::int64_t>::max();
  bool hides = true;  // false: shows
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
  std::vector<PatchedStage> patches;
  std::vector<StageArray> set_arrays, added_arrays, projected_out;

  friend bool operator==(const Interventions&, const Interventions&) = default;
};

}  // namespace headscope
