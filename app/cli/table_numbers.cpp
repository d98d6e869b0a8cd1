#include "app/cli/table_numbers.h"

#include <cmath>

#include "app/cli/output.h"
#include "core/base/assert.h"

namespace headscope::cli {

void TableNumbers::add(double value) {
  HEADSCOPE_ASSERT(!chosen_, "a number was written already");
  values_.add(value);
}

std::string TableNumbers::text(double value) {
  constexpr int kLetters = 12;
  if (!std::isfinite(value)) return short_number(value);
  if (!chosen_) numbers_ = cell_numbers(values_, {kLetters, kLetters, NumberLook::terminal});
  chosen_ = true;
  std::string words = cell_number(numbers_, value);
  has_blank_ = has_blank_ || words.empty();
  return words;
}

std::string TableNumbers::legend() const {
  return has_blank_ ? std::string(kBlankWords) + "\n" : "";
}

}  // namespace headscope::cli
