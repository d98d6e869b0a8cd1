#include "core/model/own_arrays.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/model/inputs.h"
#include "core/request/intervention_kinds.h"

namespace headscope {

const OwnArray* OwnArrays::find(const StageArray& of) const {
  const auto found = std::find_if(each.begin(), each.end(), [&](const OwnArray& array) {
    return array.file == of.file && array.wanted == of.sha256;
  });
  return found == each.end() || of.file.empty() ? nullptr : &*found;
}

Request with_kept_arrays(Request request, const Inputs& inputs) {
  if (inputs.arrays == nullptr) return request;
  visit_arrays(request, [&](const auto&, StageArray& each) {
    const OwnArray* array = inputs.arrays->find(each);
    if (array == nullptr) return;
    each.sha256 = array->sha256;
    if (array->numbers.size() > kCarriedNumbers || !each.values.empty()) return;
    std::vector<float> values = array->numbers.values();
    if (!std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); })) return;
    each.shape.assign(array->numbers.shape().begin(), array->numbers.shape().end());
    each.values = std::move(values);
  });
  return request;
}

}  // namespace headscope
