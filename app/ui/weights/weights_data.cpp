#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/data_versions.h"
#include "app/ui/panel_data.h"
#include "app/ui/weights/weights_panel.h"
#include "core/attention/interventions.h"
#include "core/attention/model_trace.h"

namespace headscope::ui {
namespace {

Tensor as_matrix(const Tensor& tensor) {
  if (tensor.rank() == 2) return tensor;
  return tensor.reshaped({1, tensor.size()}, {Axis::feature, Axis::feature});
}

// The picked one by its name, else what stands at the same place of another layer's list.
std::size_t picked(const WeightsData& data, const std::string& name) {
  const auto found = std::find_if(data.tensors.begin(), data.tensors.end(),
                                  [&](const WeightTensor& tensor) { return tensor.name == name; });
  if (found != data.tensors.end()) return static_cast<std::size_t>(found - data.tensors.begin());
  return std::min(data.at, data.tensors.size() - 1);
}

void read_matrix(Ui& ui, WeightsData& data) {
  const Tensor matrix = as_matrix(data.tensor().tensor);
  std::uint64_t& made = ui.state.panels.get<DataVersions>().made;
  made += 1;
  data.version = made;
  data.large = is_too_large(matrix.dim(0), matrix.dim(1), true);
  data.matrix = data.large || matrix.stored() ? matrix : matrix.dense_copy();
  data.range = data.large ? ValueRange{-1, 1, false, false} : automatic_range(data.matrix, false, true, nullptr);
}

}  // namespace

Index WeightsData::index_of(Cell cell) const {
  const int rank = tensor().tensor.rank();
  Index index;
  for (int axis = 0; axis < rank; ++axis) index.push_back(0);
  if (rank > 1) index[rank - 2] = cell.row;
  index[rank - 1] = cell.column;
  return index;
}

std::vector<NumberEdit> WeightsData::edits(const std::string& name) const {
  return edits_of(trace->request, trace->inputs->layer, name);
}

bool has_weights(const Ui& ui) {
  const auto trace = ui.session.trace();
  return trace != nullptr && !trace->inputs->weights.empty();
}

WeightsData& weights_data(Ui& ui) {
  WeightsData& data = ui.state.panels.get<WeightsData>();
  const Tensor before = data.tensors.empty() ? Tensor() : data.tensor().tensor;
  if (data.trace != ui.session.trace()) {
    data.trace = ui.session.trace();
    data.tensors = weight_tensors(data.trace->inputs->weights);
    const auto& unedited = data.trace->inputs->unedited;
    data.unedited = unedited != nullptr ? weight_tensors(*unedited) : std::vector<WeightTensor>();
  }
  data.at = picked(data, ui.session.view.weights.tensor);
  const Tensor& now = data.tensor().tensor;
  const bool same = !before.empty() && before.shape() == now.shape() && same_storage(before, now);
  if (!same || data.matrix.empty()) read_matrix(ui, data);
  return data;
}

}  // namespace headscope::ui
