// Where a score or weight comes from: the chain of the stages' own numbers, from q · k to the picked cell.
#pragma once

#include <string>
#include <vector>

#include "app/session/view_state.h"
#include "core/attention/trace.h"

namespace headscope::ui {

enum class TextRole { plain, query, key };
struct RoleText {
  std::string text;
  TextRole role = TextRole::plain;
};

struct WhereStep {
  std::string name;                  // "scores", "÷ row sum"
  std::vector<RoleText> expression;  // with the numbers of the step before
  double value = 0;
};

// The steps that lead to stage[batch, head, cell], all values the trace's own (differences and exp of them in double).
// `stage` is score-like and in the trace. The last step's value is the cell's. The tokens are named as given.
std::vector<WhereStep> where_from(const Trace& trace, StageId stage, std::int64_t batch, std::int64_t head, Cell cell,
                                  const std::string& query_token, const std::string& key_token);

// "15.4103", "−4.17e−05", "nan": as steps print their numbers.
std::string step_number(double value);

}  // namespace headscope::ui
