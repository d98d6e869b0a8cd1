#include "core/script/latex_document.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "core/script/latex_text.h"

namespace headscope {
namespace {

// "b_q", beside "W_q".
std::string bias_of(std::string_view matrix) {
  return fmt::format("b{}", matrix.substr(1));
}

}  // namespace

void Latex::line(const std::string& text) {
  script.text += text + "\n";
  ++lines;
}

void Latex::open(std::vector<StageId> stages) {
  if (!script.sections.empty()) script.sections.back().end = lines;
  script.sections.push_back({std::move(stages), lines, lines});
}

void Latex::stage(StageId id, const std::string& left, const std::string& right, const std::string& words) {
  if (trace.find(id) == nullptr) return;
  line("");
  open({id});
  line(fmt::format("% ---- {}", stage_name(id)));
  line(words);
  line("\\begin{align*}");
  line(fmt::format("  {} &= {}, \\\\*", left, right));
  line(fmt::format("  {} &\\in {}.", tex_symbol(id), tex_space(trace.tensor(id).shape())));
  line("\\end{align*}");
}

std::string latex_product(StageId of, const char* matrix, const Linear& linear) {
  return fmt::format("{} \\, {}^{{\\top}}{}", tex_symbol(of), matrix,
                     linear.bias.empty() ? "" : " + " + bias_of(matrix));
}

std::string where_weights(const char* matrix, const Linear& linear) {
  return fmt::format(
      " with ${} \\in {}${}", matrix, tex_space(linear.weight.shape()),
      linear.bias.empty() ? "" : fmt::format(" and ${} \\in {}$", bias_of(matrix), tex_space(linear.bias.shape())));
}

}  // namespace headscope
