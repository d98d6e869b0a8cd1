// Request: merge, keys and values, compute, and the whole as a command.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/request/request_panel.h"
#include "app/ui/widgets/text_pieces.h"
#include "core/backend/backend.h"
#include "core/base/thread_pool.h"
#include "core/request/idle_options.h"
#include "core/request/model_kind.h"
#include "core/request/option_scope.h"
#include "core/request/request_text.h"

namespace headscope::ui {

void draw_merge_section(RequestRows& rows) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  rows.section("Merge heads");
  if (const char* why = rows.lock({"merge"})) {
    rows.locked("merge", "no values", why);
    rows.y += ui.px(6);
    return rows.end_section();
  }
  int selected = static_cast<int>(draft.merge);
  if (segments(
          ui, "request/merge", rows.full(), {"transpose", "direct reshape"}, selected,
          rows.state(
              "merge",
              "concat: [batch, heads, len, head_dim] transposed to [batch, len, heads, head_dim] and joined; direct "
              "reshape leaves the transposition out, the tutorials' mistake."))) {
    draft.merge = static_cast<Merge>(selected);
  }
  rows.problem("merge");
  rows.end_section();
}

void draw_keys_section(RequestRows& rows) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  rows.section("Keys and values");
  if (!draft.input.empty() || is_attention_alone(draft)) {
    const bool own = !draft.key_input.empty() || is_attention_alone(draft);
    rows.locked("source", own ? "own files" : "the same x",
                "Fixed by the input files; 'Use a phrase' above goes back to words.");
    rows.y += ui.px(6);
    return rows.end_section();
  }
  if (runs_capture(draft)) {
    rows.locked("source", "as captured", "The capture holds what was attended to; the phrase only names its tokens.");
    rows.y += ui.px(6);
    return rows.end_section();
  }
  if (is_checkpoint(draft) && (has_decoder(ui) || has_pool(ui))) {
    draw_attention_lists(rows);
    return rows.end_section();
  }
  if (is_checkpoint(draft)) {
    const bool image = !draft.image.empty(), sound = !draft.features.empty();
    rows.locked("source",
                image   ? "same image"
                : sound ? "same sound"
                        : "same phrase",
                image   ? "A checkpoint attends within its own image."
                : sound ? "A checkpoint attends within its own sound."
                        : "A checkpoint attends within its own text.");
    rows.y += ui.px(6);
    return rows.end_section();
  }
  int selected = draft.key_phrase ? 1 : 0;
  if (segments(ui, "request/keys", rows.full(), {"same phrase", "second phrase"}, selected,
               rows.state("key-phrase", "Self-attention, or cross-attention: keys and values from a second phrase."))) {
    ui.push(CommandId::toggle_key_phrase);
  }
  rows.end_section();
}

// How much of the stages is kept; a setting of the program, not of the request: no number depends on it.
void stage_memory(RequestRows& rows) {
  Ui& ui = rows.ui;
  std::vector<int> sizes = {256, 1024, 4096, 16384};
  int& kept = ui.settings.stage_memory_mib;
  if (std::find(sizes.begin(), sizes.end(), kept) == sizes.end()) sizes.insert(sizes.begin(), kept);
  std::vector<std::string> items;
  for (const int mib : sizes) {
    items.push_back(mib % 1024 == 0 ? fmt::format("{} GiB", mib / 1024) : fmt::format("{} MiB", mib));
  }
  int selected = static_cast<int>(std::find(sizes.begin(), sizes.end(), kept) - sizes.begin());
  if (combo(
          ui, "request/stage-memory", rows.control("keep up to"), items, selected,
          {rows.state("stage-memory",
                      "Stages above this are not kept: their weights are computed where you look. No number changes."),
           Type::words12})) {
    kept = sizes[static_cast<std::size_t>(selected)];
    ui.session.set_stage_memory(std::int64_t{kept} << 20);
    ui.session.recompute();
  }
}

void draw_compute_section(RequestRows& rows) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  const auto& problem = ui.session.problem();
  const bool at_fault = problem && (problem->option == "backend" || problem->option == "threads");
  const bool changed = draft.backend != BackendChoice::automatic || draft.threads != 0;
  const auto trace = ui.session.trace();
  rows.section("Compute", trace ? trace->backend_description : "");
  rows.y -= ui.px(4);
  if (disclosure(rows, "request/compute", "backend, threads, memory", changed || at_fault)) {
    std::vector<std::string> items = {"automatic"};
    std::vector<BackendChoice> choices = {BackendChoice::automatic};
    for (const BackendInfo& info : backends()) {
      items.push_back(info.name);
      choices.push_back(info.choice);
    }
    int selected = 0;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      if (choices[i] == draft.backend) selected = static_cast<int>(i);
    }
    if (combo(ui, "request/backend", rows.control("backend"), items, selected,
              {rows.state("backend",
                          "Who computes: cpu is fast, gpu is a graphics card, reference is the plain oracle in double "
                          "accumulation."),
               Type::words12})) {
      draft.backend = choices[static_cast<std::size_t>(selected)];
    }
    rows.problem("backend");
    std::int64_t threads = draft.threads;
    const std::int64_t cores = hardware_threads();
    if (stepper(
            ui, "request/threads", rows.control("threads"), threads, {.low = 0, .high = cores},
            rows.state("threads", "How many threads compute; 0 means all cores. The numbers do not depend on it.")) &&
        threads >= 0 && threads <= 4096) {
      draft.threads = static_cast<int>(threads);
    }
    rows.problem("threads");
    stage_memory(rows);
  }
  rows.end_section();
}

namespace {

constexpr std::size_t kMostOfValue = 200;

// As shell_command_of(), but of a long value its beginning: a phrase of megabytes is not copied for every frame, and
// never drawn whole. The copied command has all of it.
std::vector<std::string> shown_command(const Request& draft) {
  const auto phrase_of = [&](std::string_view name) -> const std::string* {
    if (name == "phrase") return &draft.phrase;
    if (name == "second-phrase") return draft.second_phrase ? &*draft.second_phrase : nullptr;
    return name == "key-phrase" && draft.key_phrase ? &*draft.key_phrase : nullptr;
  };
  std::vector<std::string> words;
  for (const RequestOption& option : request_options()) {
    const std::string* phrase = phrase_of(option.name);
    const bool is_long = phrase != nullptr && phrase->size() > kMostOfValue;
    if (!is_long && !is_given(option, draft)) continue;
    if (!acts_on(option, draft)) continue;
    words.push_back(std::string("--") + option.name);
    if (is_flag(option)) continue;
    words.push_back(is_long ? phrase->substr(0, kMostOfValue) : option.get(draft).substr(0, kMostOfValue));
  }
  return words;
}

}  // namespace

void draw_command_section(RequestRows& rows) {
  Ui& ui = rows.ui;
  const Request& draft = ui.session.draft;
  const float title_y = rows.y;
  rows.section("As a command");
  const float side = ui.px(24), padding = ui.px(size::panel_padding);
  const Rect copy{{rows.area.max.x - padding - side + ui.px(2), title_y + ui.px(8)},
                  {rows.area.max.x - padding + ui.px(2), title_y + ui.px(8) + side}};
  if (icon_button(ui, "request/copy_command", copy, Icon::copy, {true, false, "Copies the command (Ctrl+Shift+C)."})) {
    ui.push(CommandId::copy_command);
  }
  std::vector<std::string> lines = {"headscope-cli run"};
  const std::vector<std::string> words = shown_command(draft);
  const auto takes_value = [](const std::string& word) {
    const RequestOption* option = word.starts_with("--") ? find_request_option(word.substr(2)) : nullptr;
    return option != nullptr && !is_flag(*option);
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string line = "  " + words[i];
    if (i + 1 < words.size() && takes_value(words[i])) {
      const std::string& value = words[++i];
      const bool plain = value.find_first_of(" \t\n'\"") == std::string::npos && !value.empty();
      line += plain ? " " : " \"";
      const float room = rows.area.width() - ui.px(48) - text_width(ui, Type::mono11, line + (plain ? "" : "\""));
      line += cut_to_width(ui, Type::mono11, value, std::max(room, ui.px(20))) + (plain ? "" : "\"");
    }
    lines.push_back(std::move(line));
  }
  const float pitch = ui.px(17), gap = ui.px(7);
  const Rect box{{rows.area.min.x + padding, rows.y},
                 {rows.area.max.x - padding, rows.y + pitch * static_cast<float>(lines.size()) + 2 * gap}};
  ui.mark("request/command", box);
  fill(box, ui.colors.well, ui.px(size::radius_field));
  outline(ui, box, ui.colors.line, 1, ui.px(size::radius_field));
  float y = box.min.y + gap;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Rect line{{box.min.x + ui.px(10), y}, {box.max.x - ui.px(8), y + pitch}};
    text_in(ui, line, Type::mono11, i == 0 ? ui.colors.text : ui.colors.text2, lines[i]);
    y += pitch;
  }
  rows.y = box.max.y + ui.px(14);
}

}  // namespace headscope::ui
