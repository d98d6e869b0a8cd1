// The tour says other sentences at a stop where its usual ones would be false of the result that is on screen.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/session.h"
#include "app/ui/guide/tour.h"
#include "app/ui/stage_facts.h"
#include "core/attention/operation_text.h"
#include "core/request/model_kind.h"

namespace headscope::ui {
namespace {

// More cells are not summed in a frame: then no row but the picked one is spoken of.
constexpr std::int64_t kMostSummed = 1 << 16;

// The row of weights of the head that is spoken of.
std::vector<float> weights_of_row(const TourRun& run, std::int64_t row) {
  const Tensor& weights = run.trace.tensor(StageId::weights);
  const Selection at = selection_of(run.session.view, run.trace);
  std::vector<float> values(static_cast<std::size_t>(weights.dim(3)));
  weights.read({{at.batch, at.batch + 1}, {at.head, at.head + 1}, {row, row + 1}, {0, weights.dim(3)}}, values);
  return values;
}

std::int64_t picked_row(const TourRun& run) {
  const std::int64_t last = std::max<std::int64_t>(0, run.trace.query_len() - 1);
  return run.session.view.cell ? std::clamp<std::int64_t>(run.session.view.cell->row, 0, last) : last;
}

bool has_weights(const TourRun& run) {
  return run.trace.find(StageId::weights) != nullptr;
}

bool every_row_sums_to_one(const TourRun& run) {
  if (run.trace.query_len() * run.trace.key_len() > kMostSummed) return false;
  for (std::int64_t row = 0; row < run.trace.query_len(); ++row) {
    double sum = 0;
    for (const float each : weights_of_row(run, row)) sum += static_cast<double>(each);
    if (!(std::abs(sum - 1) < 1e-3)) return false;
  }
  return true;
}

bool is_earlier(const TourRun& run) {
  return run.session.problem().has_value() || !run.session.failure().empty();
}

bool has_no_words(const TourRun& run) {
  const Request& request = run.trace.request;
  return request.phrase.empty() || runs_capture(request) || !request.token_ids.empty();
}

bool has_nan_in_row(const TourRun& run) {
  if (!has_weights(run)) return false;
  const std::vector<float> row = weights_of_row(run, picked_row(run));
  return std::any_of(row.begin(), row.end(), [](float each) { return std::isnan(each); });
}

// Whether tour_values() has an angle to speak of.
bool has_rotary_positions(const TourRun& run) {
  return tour_values(run.trace, run.session.view).contains("rope");
}

constexpr TourCase kCases[] = {
    {"phrase", "earlier", is_earlier},
    {"phrase", "given", has_no_words},
    {"phrase", "one", [](const TourRun& run) { return run.trace.query_len() == 1; }},
    {"projections", "alone",
     [](const TourRun& run) { return !run.trace.inputs->query.empty() || runs_capture(run.trace.request); }},
    {"projections", "two", [](const TourRun& run) { return is_cross_attention(run.trace.request); }},
    {"heads", "one", [](const TourRun& run) { return run.trace.num_heads() == 1; }},
    {"positions", "none", [](const TourRun& run) { return !has_rotary_positions(run); }},
    {"scores", "captured", [](const TourRun& run) { return run.trace.find(StageId::raw_scores) == nullptr; }},
    {"mask", "none",
     [](const TourRun& run) {
       return mask_terms_of(run.trace.request, *run.trace.inputs).empty() && !run.trace.mask->hidden.any();
     }},
    {"weights", "hidden", has_nan_in_row},
    {"weights", "one", [](const TourRun& run) { return run.trace.key_len() == 1 && every_row_sums_to_one(run); }},
    {"weights", "other", [](const TourRun& run) { return has_weights(run) && !every_row_sums_to_one(run); }},
    {"concat", "one", [](const TourRun& run) { return run.trace.num_heads() == 1; }},
};

}  // namespace

std::span<const TourCase> tour_cases() {
  return kCases;
}

std::string tour_texts(const std::string& stop, const TourRun& run) {
  const auto found = std::find_if(std::begin(kCases), std::end(kCases),
                                  [&](const TourCase& each) { return each.stop == stop && each.holds(run); });
  const std::string path = "tour/" + stop;
  return found == std::end(kCases) ? path : path + "/" + std::string(found->name);
}

}  // namespace headscope::ui
