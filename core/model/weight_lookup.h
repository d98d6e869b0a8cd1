// Finds planned tensors in a checkpoint's files, also under another prefix or an older spelling.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/model/architecture.h"
#include "core/model/checkpoint_weights.h"
#include "core/model/weight_files.h"
#include "core/model/weight_plan.h"

namespace headscope {

class WeightLookup {
 public:
  // Takes the body's prefix ("", "model.", ...) from the name of the word embedding in the file; `files` must outlive
  // this.
  WeightLookup(const WeightFiles& files, const PlannedTensor& word);
  // Null when no file holds it under its name or its older name.
  const WeightFiles::Place* find(const PlannedTensor& tensor) const;
  // A second copy under the older name; null when there is none.
  const WeightFiles::Place* find_older(const PlannedTensor& tensor) const;
  const std::string& prefix() const { return prefix_; }

 private:
  const WeightFiles::Place* find_named(const std::string& name, bool in_head) const;
  const WeightFiles* files_;
  std::string prefix_;
  std::vector<std::string> head_prefixes_;
};

// What Checkpoint reports about its files.
struct WeightAccount {
  OutputHead::Kind head = OutputHead::Kind::none;
  std::vector<std::string> unexpected, dtypes;
  std::set<std::string> used;  // names of the tensors that count, copies of others aside
  std::int64_t bytes = 0;
  std::int64_t parameters = 0;
};

// Compares names, shapes and dtypes of all files with what the architecture needs. Throws Error, which begins with
// `what`, that lists the first ten tensors that are missing or do not fit.
WeightAccount checked_weights(const WeightFiles& files, const WeightLookup& lookup, const Architecture& architecture,
                              const Family& family, const std::string& what);

}  // namespace headscope
