// The palette's options of the request: where each is, the values that it knows, and those that one types.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/session/control_words.h"
#include "app/session/session.h"
#include "app/ui/dialogs/palette_kinds.h"
#include "app/ui/dialogs/palette_match.h"
#include "app/ui/file_choice.h"
#include "app/ui/shortcuts.h"
#include "core/base/error.h"
#include "core/compare/variant_run.h"
#include "core/model/demo_checkpoints.h"
#include "core/request/mask_terms.h"
#include "core/request/problem.h"
#include "core/request/request_text.h"

namespace headscope::ui {
namespace {

// "d_model", as the panels spell it.
std::string shown_name(const RequestOption& option) {
  std::string name = option.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

bool is_file_option(const RequestOption& option) {
  return std::string_view(option.placeholder).starts_with("FILE");
}

// ---- values that are known before one types

// The words of "auto|cpu|gpu|reference"; what stands for something else ("S", "FILE.npy", "demo:NAME") is none.
std::vector<std::string> words_of_placeholder(std::string_view placeholder) {
  std::vector<std::string> words;
  while (!placeholder.empty()) {
    const std::size_t bar = std::min(placeholder.find('|'), placeholder.size());
    const std::string_view part = placeholder.substr(0, bar);
    const bool is_word = part.size() > 1 && std::all_of(part.begin(), part.end(),
                                                        [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
    if (is_word) words.emplace_back(part);
    placeholder.remove_prefix(std::min(bar + 1, placeholder.size()));
  }
  return words;
}

std::vector<std::string> mask_values(const Request& draft) {
  std::vector<std::string> values = {"none"};
  for (const MaskTermInfo& info : mask_term_infos()) {
    if (info.kind == MaskTerm::Kind::file) continue;
    values.push_back(spelled({info.kind, info.takes_number() ? info.chip_number : 0, ""}));
    const bool there =
        std::any_of(draft.mask.begin(), draft.mask.end(), [&](const MaskTerm& term) { return term.kind == info.kind; });
    if (!draft.mask.empty() && !there) values.push_back(mask_text(draft.mask) + "," + values.back());
  }
  return values;
}

std::vector<std::string> known_values(const RequestOption& option, const Request& draft) {
  const std::string_view name = option.name;
  if (name == "mask") return mask_values(draft);
  if (is_flag(option)) return {"on", "off"};
  std::vector<std::string> values = words_of_placeholder(option.placeholder);
  if (name == "model") {
    for (const std::string& demo : demo_names()) values.push_back("demo:" + demo);
  } else if (name == "variant") {
    values = {"none"};
    for (const std::string_view variant : variant_names()) values.emplace_back(variant);
  }
  return values;
}

// ---- whether a value can be set

std::string sentence_of(const Problem& problem) {
  std::string sentence = problem.title + ".";
  if (!problem.detail.empty()) sentence += " " + problem.detail;
  if (!problem.detail.ends_with(':')) return sentence;
  std::vector<std::string> labels;
  for (const Suggestion& suggestion : problem.suggestions) labels.push_back(suggestion.label);
  return fmt::format("{} {}", sentence, fmt::join(labels, ", "));
}

// What setting the option would come to: a refusal, or whether it is so already.
struct Trial {
  std::string refusal;
  bool is_so = false;
};

Trial trial_of(const RequestOption& option, const std::string& value, const Request& draft) {
  Request changed = draft;
  try {
    option.set(changed, value);
  } catch (const UsageError& error) {
    return {control_words(error.what()), false};
  } catch (const Error& error) {
    return {control_words(error.what()), false};
  }
  // A problem that the draft has already is no reason to refuse another option.
  const std::optional<Problem> problem = find_problem(changed);
  const bool by_this = problem && (problem->option == option.name || !find_problem(draft));
  return {by_this ? control_words(sentence_of(*problem)) : "", changed == draft};
}

PaletteEntry value_entry(const RequestOption& option, const std::string& value, const Request& draft) {
  const Trial trial = trial_of(option, value, draft);
  return {.label = fmt::format("{} {}", shown_name(option), value),
          .right = trial.is_so ? "is so" : "",
          .refusal = trial.refusal,
          .argument = fmt::format("{}={}", option.name, value),
          .is_given = true};
}

// ---- the lists

void list_options(Ui& ui, std::vector<PaletteEntry>& entries) {
  for (const RequestOption& option : request_options()) {
    if (control_of_option(option.name).empty() && !is_file_option(option)) continue;
    entries.push_back({.label = shown_name(option),
                       .right = option.get(ui.session.draft),
                       .other_words = option.help,
                       .argument = option.name,
                       .is_given = true});
  }
}

// Goes to the control; where there is none, asks for the file.
void show_option(Ui& ui, const PaletteEntry& entry) {
  const RequestOption* option = find_request_option(entry.argument);
  if (option == nullptr || focus_option(ui, option->name)) return;
  ui.state.panels.get<FileChoice>().purpose = option->name;
  ui.state.dialog = DialogKind::choose_file;
}

void list_values(Ui& ui, std::vector<PaletteEntry>& entries) {
  const Request& draft = ui.session.draft;
  for (const RequestOption& option : request_options()) {
    for (const std::string& value : known_values(option, draft)) {
      PaletteEntry entry = value_entry(option, value, draft);
      entry.other_words = option.help;
      entries.push_back(std::move(entry));
    }
  }
}

// ---- values that are typed

const MaskTermInfo* mask_term_named(const std::string& word) {
  constexpr int kBeginning = 250;
  if (word.find_first_of("./") != std::string::npos) return nullptr;  // a file
  const MaskTermInfo* best = nullptr;
  int best_rank = kNoMatch;
  for (const MaskTermInfo& info : mask_term_infos()) {
    if (info.kind == MaskTerm::Kind::file) continue;
    const int rank = match_rank(search_query(word), searchable(info.word), true);
    // Not by a synonym, nor from the inside; letters may be missing where there are enough of them.
    const bool begins = rank < kBeginning, with_typo = rank >= kMatchScattered && word.size() >= 4;
    if (rank < best_rank && (begins || with_typo)) {
      best = &info;
      best_rank = rank;
    }
  }
  return best;
}

// "window 3 causal" as --mask spells it: "window:3,causal". A word that is no term stays: a file.
std::string mask_of(const std::vector<std::string>& words) {
  std::string text;
  bool takes_number = false;
  for (const std::string& word : words) {
    const bool number = std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (number && takes_number) {
      text += fmt::format(":{}", word);
      takes_number = false;
      continue;
    }
    const MaskTermInfo* info = word == "none" ? nullptr : mask_term_named(word);
    takes_number = info != nullptr && info->takes_number();
    text += fmt::format("{}{}", text.empty() ? "" : ",", info == nullptr ? std::string_view(word) : info->word);
  }
  return text;
}

// A typed text with blanks where options and their values are held together: "mask=window:3" as "mask window 3".
std::vector<std::string> words_of_setting(std::string typed) {
  if (typed.starts_with("--")) typed.erase(0, 2);
  std::replace(typed.begin(), typed.end(), '=', ' ');
  return typed_words(typed);
}

std::vector<std::string> words_of_mask(std::vector<std::string> words) {
  std::string text = fmt::format("{}", fmt::join(words, " "));
  for (char& c : text) {
    if (c == ':' || c == ',') c = ' ';
  }
  return typed_words(text);
}

// Whether one of the terms that `value` spells is of a kind that the mask has already.
bool has_term_of(const std::vector<MaskTerm>& mask, const RequestOption& option, const std::string& value) {
  Request spelled_alone;
  option.set(spelled_alone, value);
  return std::any_of(mask.begin(), mask.end(), [&](const MaskTerm& term) {
    return std::any_of(spelled_alone.mask.begin(), spelled_alone.mask.end(),
                       [&](const MaskTerm& other) { return other.kind == term.kind; });
  });
}

void spell_mask(Ui& ui, const std::vector<std::string>& words, int rank, std::vector<PaletteEntry>& entries) {
  const Request& draft = ui.session.draft;
  const RequestOption& option = *find_request_option("mask");
  const std::string value = mask_of(words_of_mask(words));
  entries.push_back(value_entry(option, value, draft));
  entries.back().rank = rank;
  const bool joins = !draft.mask.empty() && value != "none" && entries.back().refusal.empty();
  if (!joins || has_term_of(draft.mask, option, value)) return;
  entries.push_back(value_entry(option, mask_text(draft.mask) + "," + value, draft));
  entries.back().rank = rank + 1;
  if (!entries.back().refusal.empty()) entries.pop_back();
}

// Numbers and masks are told from other words.
bool by_name(const RequestOption& option) {
  return option.numeric || option.name == std::string_view("mask");
}

// An option that the first words name, and the value that the others are.
struct Setting {
  const RequestOption* option = nullptr;
  std::string value;
  std::vector<std::string> words;  // of the value
  int rank = 0;
};

// Words and paths can be anything: they are read only of an option that was named for sure (`named`: "phrase=a b").
std::vector<Setting> settings_of(const std::vector<std::string>& words, bool named) {
  std::vector<Setting> settings;
  for (std::size_t count = 1; count < words.size() && count <= 3; ++count) {
    const auto split = words.begin() + static_cast<std::ptrdiff_t>(count);
    const SearchQuery name = search_query(fmt::format("{}", fmt::join(words.begin(), split, "_")));
    for (const RequestOption& option : request_options()) {
      const int rank = match_rank(name, searchable(option.name), true);
      const bool few_letters = rank >= kMatchScattered && rank < kMatchTypo && name.text.size() < 4;
      if (rank >= kNoMatch || few_letters || (!by_name(option) && !(named && rank == 0))) continue;
      settings.push_back({&option, fmt::format("{}", fmt::join(split, words.end(), " ")), {split, words.end()}, rank});
    }
  }
  std::stable_sort(settings.begin(), settings.end(),
                   [](const Setting& a, const Setting& b) { return a.rank < b.rank; });
  return settings;
}

// "d_model 64", "--mask-fill=-1e20", "mask window 3", "window 3".
void spell_value(Ui& ui, const std::string& typed, std::vector<PaletteEntry>& entries) {
  constexpr int kNear = 100;  // worse names than the best one are left out
  const std::vector<std::string> words = words_of_setting(typed);
  if (words.empty()) return;
  const MaskTermInfo* term = mask_term_named(words.front());
  const bool is_term = term != nullptr && searchable(words.front()) == term->word;
  if (is_term && (words.size() > 1 || !term->takes_number())) spell_mask(ui, words, 1, entries);
  const bool named = typed.starts_with("--") || typed.find('=') != std::string::npos;
  const std::vector<Setting> settings = settings_of(words, named);
  for (const Setting& setting : settings) {
    if (setting.rank > settings.front().rank + kNear) break;
    if (setting.option->name == std::string_view("mask")) {
      spell_mask(ui, setting.words, setting.rank, entries);
      continue;
    }
    const std::vector<std::string> known = known_values(*setting.option, ui.session.draft);
    if (std::find(known.begin(), known.end(), setting.value) != known.end()) continue;
    PaletteEntry entry = value_entry(*setting.option, setting.value, ui.session.draft);
    // That a word cannot be the value of an option is said after what fits, and not of a name that is only alike.
    constexpr int kRefusedWord = 300;
    const bool number = setting.option->numeric && starts_number(setting.value);
    entry.rank = setting.rank + (entry.refusal.empty() || number ? 0 : kRefusedWord);
    const bool named_best = setting.rank == settings.front().rank;
    if (entry.refusal.empty() || setting.rank == 0 || (number && named_best)) entries.push_back(std::move(entry));
  }
}

void set_value(Ui& ui, const PaletteEntry& entry) {
  ui.push(CommandId::set_option, entry.argument);
}

constexpr PaletteKind kKinds[] = {
    {"option", true, list_options, nullptr, show_option},
    {"value", false, list_values, spell_value, set_value},
};

}  // namespace

std::span<const PaletteKind> palette_options() {
  return kKinds;
}

}  // namespace headscope::ui
