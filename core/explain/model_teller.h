// The steps that model_cell() tells. Internal to core/explain.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/explain/model_cell.h"
#include "core/model/checkpoint.h"

namespace headscope {

using ModelRow = std::vector<double>;

// A number of a sum, and where it stands.
struct ModelTerm {
  std::string stage;
  Index index;
  double value = 0;
};

// A decoder beside an encoder, of which the list of self-attention is shown, with that of cross-attention in its place:
// its model's layers and other layers exchanged. Null for other models and lists. UsageError, which names `option`, for
// layers that were not kept.
std::shared_ptr<const Trace> with_cross_shown(const std::string& option, const Trace& trace);

class ModelTeller {
 public:
  // `asked` is the trace as the user has it: the same one, or for the stream of a decoder whose self-attention is shown
  // the one that with_cross_shown() was made of. UsageError as model_stages().
  ModelTeller(const std::string& option, const Trace& trace, const Trace& asked, ModelStageId stage,
              const CancelToken& cancel);

  ModelCell tell(const Index& asked);

 private:
  const Tensor& tensor(ModelStageId id) const;
  BlockWeights block() const { return model_.checkpoint->block(layer_); }
  bool after_sum() const { return architecture_.norm_place == Architecture::NormPlace::after_sum; }
  bool has_mlp() const { return architecture_.mlp != Architecture::Mlp::none; }

  ModelRow row(ModelStageId id, std::int64_t layer) const;
  ModelTerm term(ModelStageId id, std::int64_t layer) const;
  void step(const std::string& name, const std::string& expression, double value) {
    cell_.steps.push_back({name, expression, value});
  }
  void operand(const std::string& stage, const Index& index, double value, SourceRole role = SourceRole::input) {
    cell_.operands.push_back({stage, index, value, role});
  }
  // Steps: the sum of some numbers, the norm of x at the cell's feature, one row of a matrix by x, whose cells are
  // `name`.
  void sum(const std::vector<ModelTerm>& terms);
  void norm(const NormWeights& weights, const ModelRow& x);
  void product(const Linear& linear, const std::string& name, std::int64_t out, const ModelRow& x);
  ModelRow times(const Linear& linear, const ModelRow& x) const;
  ModelRow activated(Architecture::Activation activation, const ModelRow& x) const;
  ModelRow normed_row(const NormWeights& weights, const ModelRow& x) const;
  ModelRow hidden() const;
  // Of an expert of a mixture: what its last matrix reads, and one feature of its result, told as a step of that name.
  using Expert = ExpertWeights::Expert;
  ModelRow hidden_of(const Expert& expert, const ModelRow& x) const;
  double tell_expert(const std::string& name, const Expert& expert, const ModelRow& x, double factor);

  // The index with places counted from the end settled. UsageError "at" for a cell that is not there.
  Index settled(Index index) const;
  // The last step where arrays or a patch put in the number.
  void tell_put(const Index& index);
  void tell_image();
  void tell_features();
  void tell_embeddings();
  void tell_stream();
  std::string name_of_attention(Architecture::Part part) const;
  ModelRow self_attention() const;
  ModelRow between() const;
  ModelTerm term_of(const std::string& name, const ModelRow& row) const;
  std::vector<ModelTerm> terms_between() const;
  void tell_decoder_stream();
  void tell_decoder_mlp_in();
  void tell_self_norm();
  void tell_attention();
  void tell_mlp_in();
  void tell_mlp_out();
  void tell_experts();
  void tell_convolution();
  void join_convolution(const ModelRow& left);
  void tell_final_norm();
  void tell_logit();
  void tell_projected();

  const Trace& trace_;
  const Trace& asked_;
  const ModelTrace& model_;
  const Architecture& architecture_;
  const CancelToken& cancel_;
  ModelStageId stage_;
  std::vector<ModelStage> stages_;
  ModelCell cell_;
  std::int64_t layer_ = 0, batch_ = 0, position_ = 0, feature_ = 0;
};

}  // namespace headscope
