#include "core/diagnose/rest_run.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/diagnose/dump_places.h"

namespace headscope {

RestRun::RestRun(const LayerRest& rest, Tensor stream, Tensor added, std::vector<std::string> origin)
    : rest_(rest), stream_(std::move(stream)), added_(std::move(added)), origin_(std::move(origin)) {}

const Tensor& RestRun::part(DumpPart part) {
  const auto found = known_.find(part);
  if (found != known_.end()) return found->second;
  Tensor made = computed(part);
  return known_[part] = std::move(made);
}

Tensor RestRun::computed(DumpPart part) {
  switch (part) {
    case DumpPart::attended:
      return rest_.attended(stream_, added_);
    case DumpPart::mlp_in:
      return rest_.mlp_in(stream_, this->part(DumpPart::attended));
    case DumpPart::mlp_out:
      return rest_.mlp_out(this->part(DumpPart::mlp_in));
    default:
      if (rest_.has_convolution()) return rest_.finished(stream_, added_);
      if (!rest_.has_mlp()) return this->part(DumpPart::attended);
      return rest_.leaving(this->part(DumpPart::attended), this->part(DumpPart::mlp_out));
  }
}

void RestRun::give(DumpPart part, const Tensor& theirs) {
  given_.insert(part);
  const std::int64_t rows = stream_.dim(1) - theirs.dim(1);
  if (rows == 0) {
    known_[part] = theirs;
    return;
  }
  Tensor mixed = this->part(part).dense_copy();
  const Tensor their_rows = theirs.dense_copy();
  const std::int64_t width = theirs.dim(1) * theirs.dim(2), all = mixed.dim(1) * mixed.dim(2);
  for (std::int64_t b = 0; b < theirs.dim(0); ++b) {
    std::copy_n(their_rows.data() + b * width, width, mixed.mutable_data() + (b + 1) * all - width);
  }
  known_[part] = std::move(mixed);
}

std::vector<std::string> RestRun::origin_of(DumpPart part) const {
  std::vector<std::string> names;
  add_origin(part, names);
  return names;
}

// Returns what the part is made of, back to what is theirs.
void RestRun::add_origin(DumpPart part, std::vector<std::string>& names) const {
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  const auto from = [&](DumpPart before) {
    if (given_.contains(before)) return add(std::string(dump_part_name(before, {})));
    add_origin(before, names);
  };
  if (part == DumpPart::mlp_in) return from(DumpPart::attended);
  if (part == DumpPart::mlp_out) return from(DumpPart::mlp_in);
  if (part == DumpPart::leaving && !rest_.has_convolution()) {
    from(DumpPart::attended);
    if (rest_.has_mlp()) from(DumpPart::mlp_out);
    return;
  }
  for (const std::string& name : origin_) add(name);
}

}  // namespace headscope
