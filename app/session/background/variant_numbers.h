// What the bug lab shows: the request without any mistake, with the picked ones, and what each of the contract's
// variants would change. Computed by a worker; the newest query wins.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/background/executor.h"
#include "core/compare/variant_effect.h"
#include "core/request/problem.h"

namespace headscope {

struct VariantQuery {
  std::shared_ptr<const Trace> trace;
  std::vector<std::string> picked;  // variants by name, at most two
  friend bool operator==(const VariantQuery&, const VariantQuery&) = default;
};

// What one variant alone does to the last stage.
struct VariantLine {
  std::string name;
  std::optional<Problem> problem;  // why it cannot run here; then the rest says nothing
  double largest = 0;              // |wrong - right|
  std::int64_t nan_rows = 0;       // of weights, more than without it
  bool changes = false;
};

// Immutable; of one query.
struct VariantResult {
  VariantQuery of;
  std::string refusal;             // why nothing can be compared; then the rest is empty
  std::vector<VariantLine> lines;  // of all variants, in the contract's order; empty while they are not known
  StageId last = StageId::output;  // what `lines` speak of: output, or concat where there is none
  std::optional<Problem> problem;  // why the picked ones cannot run together; then `wrong` is null
  std::shared_ptr<const Trace> right, wrong, difference;
  std::shared_ptr<const VariantEffect> effect;
  double seconds = 0;  // all variants alone
};

class VariantNumbers {
 public:
  // One worker on `executor`; `wake` is called by it when there is something new.
  VariantNumbers(std::unique_ptr<Executor> executor, std::function<void()> wake);
  // Cancels what runs and waits for it.
  ~VariantNumbers();
  VariantNumbers(const VariantNumbers&) = delete;
  VariantNumbers& operator=(const VariantNumbers&) = delete;

  // Asked in every frame that shows it. The newest result, which may be of an older query (VariantResult::of) while the
  // new one is being computed; null while there is none.
  std::shared_ptr<const VariantResult> want(const VariantQuery& query);
  bool busy() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headscope
