// Patches of a request at work: numbers of stages that are those of another run, A. Like core/attention/interventions,
// all functions ignore patches that are switched off.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/trace.h"
#include "core/tensor/tensor.h"

namespace headscope {

// What the patches of a request take, read from the run of A: Inputs::patches.
struct Patches {
  struct Stage {
    std::int64_t layer = 0;
    std::string name;  // as PatchedStage::stage
    Tensor numbers;    // of A, the whole stage
  };
  std::vector<Stage> stages;
  // For every query here, and every key (that of bias_k, too): its place in A; -1: it has no partner there and keeps
  // its own numbers.
  std::vector<std::int64_t> query_of, key_of;
  std::string notice;  // a sentence that names what has no partner; "" when all have one
};

// Whether a patch of the request puts numbers into the stage in `layer`; one that names no layer counts, as in
// edits_of().
bool has_patches(const Request& request, std::int64_t layer, std::string_view stage);
bool has_patches(const Request& request, std::int64_t layer, StageId stage);

// `tensor` with the numbers of A in it: a copy when it is stored, else a tensor that puts them in when it is read. The
// same tensor when no patch speaks of it. `stage` is kStreamPatch, kMlpPatch or a stage's name.
Tensor with_patches(const Request& request, const Inputs& inputs, std::int64_t layer, std::string_view stage,
                    const Tensor& tensor);

// Whether a patch put its number into a cell of a stage of the trace.
bool is_patched(const Trace& trace, StageId stage, const Index& index);
// The same of kStreamPatch and kMlpPatch in a layer of a model, whose trace it is: [batch, position, feature].
bool is_patched(const Trace& layer, std::string_view stage, const Index& index);

// The stages of a layer whose numbers of A differ between two computations of it, or whose patches do.
std::vector<StageId> unlike_patches(const Request& before, const Inputs& before_inputs, const Request& now,
                                    const Inputs& inputs);

// The shape of what a patch names; nullopt when this request has no such stage.
std::optional<Shape> patched_shape(const Request& request, const Inputs& inputs, std::string_view stage);

// Whether numbers of A of the shape `a` can be put into a stage of the shape `b`: axes that are not matched by tokens
// have the same size.
bool patch_fits(std::string_view stage, const Shape& a, const Shape& b);

// The numbers of a stage of a layer of a run that is not patched itself, as patches name it: a stage of attention,
// [batch, len, d_model] of kStreamPatch and kMlpPatch, the latter computed here. UsageError of the option "patch" when
// the run has no such stage or layer.
Tensor patch_numbers(const Trace& a, const std::string& stage, std::int64_t layer);

// What the patches of the request, which intervention_problem() has found right, take from `a`: the run of the request
// of Request::patch_from, of a model whole. Positions are partners as align_tokens() says. UsageError when A has no
// such stage, or one whose batch, heads or features are others.
std::shared_ptr<const Patches> patches_from(const Trace& a, const Request& request, const Inputs& inputs);

}  // namespace headscope
