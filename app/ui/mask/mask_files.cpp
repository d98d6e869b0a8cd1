#include "app/ui/mask/mask_files.h"
#include "app/session/control_words.h"

#include <fmt/format.h>

#include <cmath>

#include "app/session/session.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/mask_paint.h"
#include "core/base/error.h"
#include "core/io/files_read.h"
#include "core/model/mask_file.h"

namespace headscope::ui {
namespace {

constexpr const char* kPath = "mask/path";
constexpr const char* kText = "mask/text";
constexpr std::int64_t kMostTexts = 1 << 20;

const char* meaning(MaskConvention convention) {
  switch (convention) {
    case MaskConvention::additive:
      return "float32 that is added to the scores: 0, or \xE2\x88\x92inf where hidden; read: \xE2\x88\x92"
             "1e4 and below hide";
    case MaskConvention::keep:
      return "booleans, 1 = may attend, as torch.nn.functional.scaled_dot_product_attention takes them";
    case MaskConvention::hide:
      return "booleans, 1 = hidden, as torch.nn.MultiheadAttention's attn_mask takes them";
    case MaskConvention::key_padding:
      return "a row of booleans for every text, 1 = a real key, as a tokenizer's attention_mask; only where all "
             "queries see the same";
  }
  return "";
}

template <typename Act>
void attempt(MaskFilesState& state, const Act& act) {
  state.failed = true;
  try {
    state.said = act();
    state.failed = false;
  } catch (const Error& error) {
    state.said = control_words(error.what());
  } catch (const UsageError& error) {
    state.said = control_words(error.what());
  }
}

}  // namespace

void draw_mask_files(Ui& ui, const Trace& trace, std::int64_t batch, std::int64_t head, const Rect& area) {
  auto& state = ui.state.panels.get<MaskFilesState>();
  Rect line{{area.min.x, area.min.y + ui.px(4)}, {area.max.x, area.min.y + ui.px(28)}};
  text_in(ui, take_left(line, std::max(ui.px(36), std::ceil(text_width(ui, Type::words12, "file")) + 1), ui.px(6)),
          Type::words12, ui.colors.text2, "file");
  const MaskConvention convention = state.convention;
  int chosen = static_cast<int>(convention);
  std::string& path = state.path;
  const ControlState ready{!path.empty(), false, path.empty() ? "Name a .npy or .csv file first." : path.c_str()};
  const bool writes = button(ui, "mask/export", take_right(line, ui.px(76), ui.px(6)), "Export", ready);
  const bool reads = button(ui, "mask/import", take_right(line, ui.px(76), ui.px(6)), "Import", ready);
  if (combo(ui, "mask/convention", take_right(line, ui.px(120), ui.px(6)), {"additive", "keep", "hide", "key-padding"},
            chosen, {{true, false, meaning(convention)}})) {
    state.convention = static_cast<MaskConvention>(chosen);
  }
  std::int64_t text = state.file_row.value_or(batch);
  if (convention == MaskConvention::key_padding) {
    if (stepper(
            ui, kText, take_right(line, ui.px(86), ui.px(6)), text, {.low = 0, .high = kMostTexts},
            {true, false, "Which row of the file is this text's; what is painted holds for all that are computed."})) {
      state.file_row = text;
    }
    text_in(ui, take_right(line, ui.px(28), ui.px(8)), Type::words12, ui.colors.text2, "row", 1);
  }
  if (line.width() > ui.px(520)) line.max.x = line.min.x + ui.px(520);
  text_field(ui, kPath, line, path, "mask.npy or mask.csv");
  const Inputs& inputs = *trace.inputs;
  if (writes) {
    attempt(state, [&] {
      write_mask_file(path, convention, trace.mask->hidden, batch, head, !inputs.weights.bias_k.empty());
      return fmt::format("Written to {} as {}.", path, mask_convention_name(convention));
    });
  }
  if (reads) {
    attempt(state, [&] {
      const std::vector<std::uint8_t> base = cells_without_paint(trace, batch, head);
      const ReadingAs reading(ReadAs::mask);
      auto wanted = read_mask_file(path, convention, inputs.query_len, inputs.key_len, text);
      // Padding says which keys are real; what the mask hides besides stays hidden.
      for (std::size_t k = 0; convention == MaskConvention::key_padding && k < wanted.size(); ++k) wanted[k] |= base[k];
      const auto painted = painted_as(base, wanted, inputs.query_len, inputs.key_len);
      ui.session.end_undo_step();
      ui.session.draft.paint = painted;
      return fmt::format("Read from {}: {} painted.", path,
                         painted.size() == 1 ? "one rectangle" : fmt::format("{} rectangles", painted.size()));
    });
  }
  const std::string& said = state.said;
  const Rect below{{area.min.x, area.min.y + ui.px(34)}, {area.max.x, area.min.y + ui.px(54)}};
  ui.mark("mask/said: " + said, below);
  text_in(ui, below, Type::words12,
          state.failed   ? ui.colors.bad
          : said.empty() ? ui.colors.text3
                         : ui.colors.text2,
          said.empty() ? std::string(meaning(convention)) + "." : said);
}

}  // namespace headscope::ui
