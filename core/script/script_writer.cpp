#include "core/script/script_writer.h"

#include <fmt/format.h>

#include <cmath>

#include "core/attention/interventions.h"
#include "core/attention/patches.h"
#include "core/attention/put_numbers.h"
#include "core/attention/stage_arrays.h"
#include "core/base/utf8.h"
#include "core/request/option_text.h"
#include "core/request/request_text.h"

namespace headscope {

void ScriptWriter::end_section() {
  if (!script_.sections.empty()) script_.sections.back().end = lines_;
}

void ScriptWriter::section(std::vector<StageId> stages, std::string_view title) {
  if (lines_ > 0) line();
  end_section();
  script_.sections.push_back({std::move(stages), lines_, lines_});
  line(fmt::format("# ---- {}", title));
}

void ScriptWriter::line(std::string_view text) {
  script_.text.append(text);
  script_.text += '\n';
  ++lines_;
}

void ScriptWriter::stage(StageId id, std::string_view expression) {
  const std::vector<NumberEdit> edits = edits_of(trace_.request, trace_.inputs->layer, id);
  const std::int64_t layer = trace_.inputs->layer;
  const bool changed = is_changed(trace_.request, layer, id);
  if (edits.empty() && !changed) return line(fmt::format("{0} = stage(\"{0}\", {1})", stage_name(id), expression));
  // A copy: what it was made from stays as it is.
  line(fmt::format("{} = ({}).clone()", stage_name(id), expression),
       fmt::format("{} = np.array({}, dtype=np.float32)", stage_name(id), expression));
  if (has_arrays(trace_.request, layer, stage_name(id))) use_arrays(id);
  if (has_patches(trace_.request, layer, id)) put_patches(id);
  for (const NumberEdit& edit : edits) {
    std::string index;
    for (const std::int64_t at : edit.index) index += fmt::format("{}{}", index.empty() ? "" : ", ", at);
    line(fmt::format("{}[{}] = {}  # by hand", stage_name(id), index, python_number(static_cast<double>(edit.value))));
  }
  line(fmt::format("stage(\"{0}\", {0})", stage_name(id)));
}

void ScriptWriter::use_arrays(StageId id) {
  const std::string name(stage_name(id));
  std::size_t number = 0;
  for (const ArrayRows& each : array_rows(trace_, id)) {
    const std::string stem = fmt::format("{}_array_{}", name, number++);
    line(fmt::format("# {}", comment_text(array_words(each.array), 100)));
    line(fmt::format("chosen = {} != 0", data(stem + "_rows", each.chosen)));
    const std::string numbers =
        each.numbers.empty() ? python_number(static_cast<double>(each.array.number)) : data(stem, each.numbers);
    if (each.array.use == ArrayUse::project_out) {
      line(fmt::format("d = {}", numbers));
      line("length = torch.where(chosen, (d * d).sum(-1, keepdim=True), 1.0)",
           "length = np.where(chosen, (d * d).sum(-1, keepdims=True), np.float32(1))");
      line(fmt::format("{0} = {0} - ({0} * d).sum(-1, keepdim=True) / length * d", name),
           fmt::format("{0} = {0} - ({0} * d).sum(-1, keepdims=True) / length * d", name));
      continue;
    }
    const std::string put = each.array.use == ArrayUse::set ? numbers : fmt::format("{} + {}", name, numbers);
    line(fmt::format("{0} = torch.where(chosen, {1}, {0})", name, put),
         fmt::format("{0} = np.where(chosen, {1}, {0}).astype(np.float32)", name, put));
  }
}

void ScriptWriter::put_patches(StageId id) {
  const Tensor& numbers = trace_.tensor(id);
  std::vector<float> taken;
  Index index = numbers.shape();
  for (int axis = 0; axis < index.count; ++axis) index[axis] = 0;
  for (std::int64_t k = 0; k < numbers.size(); ++k) {
    taken.push_back(is_patched(trace_, id, index) ? 1.0f : 0.0f);
    for (int axis = index.count - 1; axis >= 0 && ++index[axis] == numbers.dim(axis); --axis) index[axis] = 0;
  }
  const std::string name(stage_name(id));
  line(fmt::format("taken = {} != 0  # which numbers are those of A",
                   data(name + "_taken", Tensor::of(numbers.shape(), numbers.axes(), std::move(taken)))));
  line(fmt::format("{}[taken] = {}[taken]", name, data(name + "_of_a", numbers)));
}

std::string ScriptWriter::data(const std::string& name, const Tensor& tensor) {
  script_.tensors.push_back({name, tensor});
  return fmt::format("data[\"{}\"]", name);
}

Script ScriptWriter::finished() {
  end_section();
  return std::move(script_);
}

std::string python_number(double value) {
  const std::string text = double_text(value);
  return std::isfinite(value) ? text : fmt::format("float(\"{}\")", text);
}

std::string python_string(std::string_view text) {
  std::string shown = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      continue;
    }
    if (c == '"' || c == '\\') shown += '\\';
    shown += c;
  }
  return shown + '"';
}

std::string comment_text(std::string_view text, std::size_t most) {
  std::string shown;
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (count++ == most) return shown + " ...";
    const CodePoint point = code_point_at(text, at);
    at += static_cast<std::size_t>(point.bytes);
    const std::uint32_t c = point.valid ? point.value : 0xFFFD;
    const bool breaks = c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
    const bool directs = c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    append_utf8(shown, breaks ? ' ' : directs ? 0xFFFD : c);
  }
  return shown;
}

std::string command_comment(const Trace& trace) {
  constexpr std::size_t kMost = 400;
  const Request& request = trace.request;
  const bool seeded = trace.inputs->checkpoint == nullptr && request.weights.empty() && trace.inputs->query.empty();
  // A phrase alone would be read by the shipped demo.
  const std::string command = seeded ? "headscope-cli run --model seeded" : "headscope-cli run";
  return comment_text(shell_command_of(request, command), kMost);
}

}  // namespace headscope
