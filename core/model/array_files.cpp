#include "core/model/array_files.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/io/sha256.h"
#include "core/model/weights_sha256.h"
#include "core/request/intervention_kinds.h"

namespace headscope {
namespace {

constexpr std::size_t kShownDigits = 12;  // of a hash in a sentence

Tensor carried_tensor(const StageArray& of) {
  Shape shape;
  for (const std::int64_t size : of.shape) shape.push_back(size);
  Axes axes;
  for (int axis = 0; axis < shape.count; ++axis) axes.push_back(Axis::feature);
  return Tensor::of(shape, axes, of.values);
}

std::string sha256_of_array(const Tensor& numbers, const CancelToken& cancel) {
  Sha256 sha;
  add_tensor(sha, "array", numbers, cancel);
  return sha.hex();
}

OwnArray loaded(const StageArray& of, const OwnArrays& known, InputCache::State& cache) {
  OwnArray array{of.file, of.sha256, of.values.empty() ? cache.npy(of.file).tensor : carried_tensor(of), ""};
  const OwnArray* before = known.find(of);
  array.sha256 = before != nullptr && same_storage(before->numbers, array.numbers)
                     ? before->sha256
                     : sha256_of_array(array.numbers, cache.cancel);
  if (of.sha256.empty() || of.sha256 == array.sha256) return array;
  throw Error(
      fmt::format("{}: its numbers are not those that the session was saved with (sha256 {}...); expected {}..., "
                  "or the option given anew",
                  of.file, array.sha256.substr(0, kShownDigits), of.sha256.substr(0, kShownDigits)));
}

}  // namespace

std::shared_ptr<const OwnArrays> load_own_arrays(const Request& request, InputCache::State& cache) {
  auto arrays = std::make_shared<OwnArrays>();
  visit_arrays(request, [&](const auto&, const StageArray& each) {
    if (each.on && !each.file.empty() && arrays->find(each) == nullptr)
      arrays->each.push_back(loaded(each, cache.own_arrays, cache));
  });
  cache.own_arrays = *arrays;
  return arrays->each.empty() ? nullptr : arrays;
}

}  // namespace headscope
