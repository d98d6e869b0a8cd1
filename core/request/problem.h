// Why a request cannot run, and what would make it run: returned by find_problem(), shown beside the control at fault.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/request/request.h"

namespace headscope {

// A change of one option that would make the request run: the label of a button and what it sets.
struct Suggestion {
  std::string label;   // "8", or "keep 7 heads with d_model 511"
  std::string option;  // "heads"
  std::string value;   // "8"
  friend bool operator==(const Suggestion&, const Suggestion&) = default;
};

struct Problem {
  std::string option;  // the option at fault, as in RequestOption::name: "heads"
  std::string title;   // "7 does not divide 512"
  std::string detail;  // "head_dim would be 73.14. Divisors:"
  std::vector<Suggestion> suggestions;
  friend bool operator==(const Problem&, const Problem&) = default;
};

// Everything that can be found without opening a file or computing: divisibility, ranges, options that exclude each
// other (contract, 'Exit codes' and 'Finer points'). nullopt when nothing is wrong.
std::optional<Problem> find_problem(const Request& request);

// All divisors of d_model in increasing order: the head counts that run. Only {1} for a d_model above the largest size
// that can run, so that a number typed by mistake costs no time.
std::vector<std::int64_t> divisors_of(std::int64_t d_model);

// "--heads: 7 does not divide 512. head_dim would be 73.14; ..." for the command line.
std::string one_line(const Problem& problem);

// A Problem as an exception, for code that cannot return one: Engine::run, capture_trace, the command line's arguments
// and the comparison of backends throw it; the edge (main, the compute queue) catches it.
class ProblemError : public std::runtime_error {
 public:
  explicit ProblemError(Problem problem) : std::runtime_error(one_line(problem)), problem_(std::move(problem)) {}
  const Problem& problem() const { return problem_; }

 private:
  Problem problem_;
};

}  // namespace headscope
