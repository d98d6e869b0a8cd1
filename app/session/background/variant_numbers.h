// Numbers for the bug lab: the request without any mistake, with the picked ones, and the effect of each of the
// contract's variants. Computed by a worker; the newest query wins.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/background/work/executor.h"
#include "core/compare/variant_effect.h"
#include "core/request/problem.h"

namespace headscope {

struct VariantQuery {
  std::shared_ptr<const Trace> trace;
  std::vector<std::string> picked;  // variants by name, at most two
  friend bool operator==(const VariantQuery&, const VariantQuery&) = default;
};

// The effect of one variant alone on the last stage.
struct VariantLine {
  std::string name;
  std::optional<Problem> problem;  // why it cannot run here; then the other members are not filled
  double largest = 0;              // |wrong - right|
  std::int64_t nan_rows = 0;       // additional NaN rows of weights
  bool changes = false;
};

// Immutable; of one query.
struct VariantResult {
  VariantQuery of;
  std::string refusal;             // why nothing can be compared; "": the other members are filled
  std::vector<VariantLine> lines;  // of all variants, in the contract's order; empty until they are known
  StageId last = StageId::output;  // the stage of `lines`: output, or concat when there is no output
  std::optional<Problem> problem;  // why the picked variants cannot run together; then `wrong` is null
  std::shared_ptr<const Trace> right, wrong, difference;
  std::shared_ptr<const VariantEffect> effect;
  double seconds = 0;  // time of computing `lines`
};

class VariantNumbers {
 public:
  // One worker runs on `executor` and calls `wake` when there is a new result.
  VariantNumbers(std::unique_ptr<Executor> executor, std::function<void()> wake);
  // Cancels running work and waits for it.
  ~VariantNumbers();
  VariantNumbers(const VariantNumbers&) = delete;
  VariantNumbers& operator=(const VariantNumbers&) = delete;

  // Call it in every frame that shows the result. Returns the newest result, which may be of an older query
  // (VariantResult::of) while the new one is computed; null before the first.
  std::shared_ptr<const VariantResult> want(const VariantQuery& query);
  bool busy() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headscope
