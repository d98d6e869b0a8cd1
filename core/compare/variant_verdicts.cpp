// What two traces of the same inputs differ by, in sentences.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/grouped_digits.h"
#include "core/compare/variant_text.h"
#include "core/explain/block_origin.h"
#include "core/explain/explain.h"

namespace headscope {
namespace {

std::string counted(std::int64_t number, const char* one) {
  return fmt::format("{} {}{}", grouped_digits(number), one, number == 1 ? "" : "s");
}

// "2 to 8 tokens"; "1 or 2 heads".
std::string range_text(std::int64_t least, std::int64_t most, const char* one) {
  if (least == most) return counted(least, one);
  return fmt::format("{} {} {}", least, most == least + 1 ? "or" : "to", counted(most, one));
}

std::string difference_text(double value) {
  return std::isinf(value)            ? "inf"
         : value != 0 && value < 1e-3 ? fmt::format("{:.1e}", value)
                                      : fmt::format("{:.4f}", value);
}

// Two norms or sums that no eye would tell apart.
bool alike(double a, double b) {
  return std::abs(a - b) <= 1e-4 * std::max({std::abs(a), std::abs(b), 1e-6});
}

class Verdicts {
 public:
  Verdicts(const Trace& right, const Trace& wrong, const VariantEffect& effect, StageId stage)
      : right_(right), wrong_(wrong), effect_(effect), stage_(stage) {}

  std::vector<Verdict> all() {
    shape();
    blocks();
    leak();
    nan_rows();
    row_sums();
    largest();
    norms();
    start();
    untouched_weights();
    std::stable_partition(verdicts_.begin(), verdicts_.end(), [](const Verdict& each) { return each.bad; });
    return std::move(verdicts_);
  }

 private:
  void say(bool bad, std::string text) {
    Verdict& verdict = verdicts_.emplace_back();
    verdict.bad = bad;
    verdict.text = std::move(text);
  }
  const StageDifference* here() const { return effect_.find(stage_); }

  void shape() {
    if (here() != nullptr && !here()->same_shape) {
      say(true, fmt::format("{} has another shape: {} instead of {}.", stage_name(stage_),
                            to_string(wrong_.tensor(stage_).shape()), to_string(right_.tensor(stage_).shape())));
    }
  }

  void blocks() {
    const bool merged = wrong_.request.merge != right_.request.merge;
    const bool split = stage_ != StageId::concat && block_grid(right_, stage_).has_value();
    const StageId of = split ? stage_ : StageId::concat;
    if (of == StageId::concat && !merged) return;
    const BlockComparison& blocks = effect_.blocks_of(of);
    if (blocks.blocks == 0 || blocks.in_place == blocks.blocks) return;
    const std::int64_t heads = right_.num_heads();
    if (of == StageId::concat) {
      say(true, fmt::format("Each concat row mixes {} and {} instead of 1 token and {}.",
                            range_text(blocks.least_tokens, blocks.most_tokens, "token"),
                            range_text(blocks.least_heads, blocks.most_heads, "head"), counted(heads, "head")));
    } else {
      say(true, fmt::format("{} of {} blocks of query, key and value are rows of something else.",
                            grouped_digits(blocks.blocks - blocks.in_place), grouped_digits(blocks.blocks)));
    }
    const bool ends = blocks.in_place == 2 && blocks.first_in_place && blocks.last_in_place;
    say(false, blocks.in_place == 0
                   ? "No block stays in place."
                   : fmt::format("{} of {} blocks {} in place{}.", grouped_digits(blocks.in_place),
                                 grouped_digits(blocks.blocks), blocks.in_place == 1 ? "stays" : "stay",
                                 ends ? ": the first and the last" : ""));
  }

  void leak() {
    const MaskLeak& leak = effect_.leak;
    if (!leak.masked) return;
    if (leak.leaking == 0) return say(false, "No row reads a token that the mask hides from it.");
    say(true, fmt::format("{}: {} of {} rows read a token that the mask hides, row {} token {} first.",
                          leak.from_the_future ? "The future leaks" : "The mask leaks", grouped_digits(leak.leaking),
                          grouped_digits(leak.rows), leak.row, leak.token));
  }

  void nan_rows() {
    const StageDifference* weights = effect_.find(StageId::weights);
    const StageDifference* of =
        here() != nullptr && here()->same_shape && here()->wrong_nan_rows > here()->right_nan_rows ? here() : weights;
    if (of == nullptr || !of->same_shape || of->wrong_nan_rows <= of->right_nan_rows) return;
    say(true, fmt::format("NaN in {} of {} of {}, in {} before.", grouped_digits(of->wrong_nan_rows),
                          counted(of->rows, "row"), stage_name(of->stage),
                          of->right_nan_rows == 0 ? "none" : grouped_digits(of->right_nan_rows)));
  }

  void row_sums() {
    const WeightSums &right = effect_.right_sums, &wrong = effect_.wrong_sums;
    if (wrong.rows == 0 || wrong.off == right.off) return;
    say(true, fmt::format("{} of {} of weights do not sum to 1: from {:.3f} to {:.3f}.", grouped_digits(wrong.off),
                          counted(wrong.rows, "row"), wrong.lowest, wrong.highest));
  }

  void largest() {
    const StageDifference* output = effect_.find(StageId::output);
    if (here() == nullptr || !here()->same_shape) return;
    if (here()->equal) {
      if (output == nullptr || output->equal || stage_ == StageId::output) return;
      return say(true, fmt::format("Largest difference in output {} at {}.", difference_text(output->largest),
                                   cell_name("output", output->cell)));
    }
    std::string text = fmt::format("Largest difference {} at {}", difference_text(here()->largest),
                                   cell_name(stage_name(stage_), here()->cell));
    if (output != nullptr && output->same_shape && stage_ != StageId::output) {
      text += output->equal ? "; output is equal" : fmt::format("; in output {}", difference_text(output->largest));
    }
    say(true, text + ".");
  }

  void norms() {
    if (here() == nullptr || !here()->same_shape) return;
    const std::string name(stage_name(stage_));
    if (here()->equal) return say(false, fmt::format("{} is equal in both, number by number.", name));
    if (here()->right_nan_rows != here()->wrong_nan_rows) return;
    const bool norm = alike(here()->right_norm, here()->wrong_norm), sum = alike(here()->right_sum, here()->wrong_sum);
    if (norm) {
      say(false, fmt::format("Shape{} and norm stay equal (‖{}‖ = {:.4f} in both): no shape check sees it.",
                             sum ? ", sum" : "", name, here()->right_norm));
    } else {
      say(false, fmt::format("The shape stays equal: no shape check sees it; ‖{}‖ = {:.4f} instead of {:.4f}.", name,
                             here()->wrong_norm, here()->right_norm));
    }
  }

  void start() {
    if (!effect_.first_different) return say(false, "Nothing changes here: every stage is equal.");
    if (*effect_.first_different == stage_) {
      say(false, fmt::format("{} is where it starts: every stage before is equal.", stage_name(stage_)));
    } else {
      say(false, fmt::format("It starts at {}.", stage_name(*effect_.first_different)));
    }
  }

  void untouched_weights() {
    const StageDifference* weights = effect_.find(StageId::weights);
    if (weights == nullptr || !weights->same_shape || !effect_.first_different || stage_ == StageId::weights) return;
    const bool sums = effect_.wrong_sums.off == 0 && effect_.wrong_sums.nan_rows == 0;
    if (weights->equal) {
      say(false, sums ? "Weights are untouched, their rows still sum to 1: heatmaps look right."
                      : "Weights are untouched: heatmaps look right.");
    } else if (sums) {
      say(false, "Rows of weights still sum to 1.");
    }
  }

  const Trace& right_;
  const Trace& wrong_;
  const VariantEffect& effect_;
  StageId stage_;
  std::vector<Verdict> verdicts_;
};

}  // namespace

std::vector<Verdict> variant_verdicts(const Trace& right, const Trace& wrong, const VariantEffect& effect,
                                      StageId stage) {
  return Verdicts(right, wrong, effect, stage).all();
}

}  // namespace headscope
