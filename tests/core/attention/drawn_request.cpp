#include "tests/core/attention/drawn_request.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "tests/core/attention/drawn_values.h"

namespace headscope {
namespace {

using Words = std::vector<std::string>;

Words split(const std::string& text, char separator) {
  Words words(1);
  for (const char c : text) {
    if (c == separator) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  std::erase(words, "");
  return words;
}

std::string joined(const Words& words, char separator) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

bool is_text(const RequestOption& option) {
  return std::string_view(option.placeholder) == "TEXT";
}

bool is_list_of_ids(const RequestOption& option) {
  return std::string_view(option.name).ends_with("-ids");
}

}  // namespace

Request request_of(const Settings& settings) {
  Request request;
  for (const Setting& setting : settings) find_request_option(setting.option)->set(request, setting.value);
  return request;
}

Settings settings_of(const Request& request) {
  Settings settings;
  for (const RequestOption& option : request_options()) {
    if (is_given(option, request)) settings.push_back({option.name, option.get(request)});
  }
  return settings;
}

const std::string* find_setting(const Settings& settings, const std::string& option) {
  const auto found =
      std::find_if(settings.begin(), settings.end(), [&](const Setting& setting) { return setting.option == option; });
  return found == settings.end() ? nullptr : &found->value;
}

void put_setting(Settings& settings, const std::string& option, const std::string& value) {
  std::erase_if(settings, [&](const Setting& setting) { return setting.option == option; });
  settings.push_back({option, value});
}

std::string Drawing::value_of(const RequestOption& option, const WalkKind& kind) {
  return drawn_value({random, option, kind, last.get(), files_});
}

// Like a user's hand: mostly a token behind the others.
Settings Drawing::with_text_changed(Settings settings, const WalkKind& kind) {
  std::vector<const RequestOption*> texts;
  for (const RequestOption& option : request_options()) {
    const bool given = find_setting(settings, option.name) != nullptr;
    if (given && (is_text(option) || is_list_of_ids(option))) texts.push_back(&option);
  }
  if (texts.empty()) return with_option_drawn(std::move(settings), kind);
  const RequestOption& option = *random.one_of(texts);
  const char separator = is_text(option) ? ' ' : ',';
  Words words = split(*find_setting(settings, option.name), separator);
  const auto fresh = [&] { return split(value_of(option, kind), separator).front(); };
  const auto place = [&] { return words.begin() + random.below(static_cast<int>(words.size())); };
  switch (words.size() < 2 ? 0 : random.below(8)) {
    case 0:
    case 1:
    case 2:
      words.push_back(fresh());
      break;
    case 3:
      words.pop_back();
      break;
    case 4:
      *place() = fresh();
      break;
    case 5:
      words.insert(place(), fresh());
      break;
    case 6:
      words.erase(place());
      break;
    default:
      for (int count = 2 + random.below(3); count > 0; --count) words.push_back(fresh());
  }
  put_setting(settings, option.name, joined(words, separator));
  return settings;
}

Settings Drawing::with_option_drawn(Settings settings, const WalkKind& kind) {
  constexpr std::size_t kMost = 5;  // beside the base: with more almost nothing runs
  Settings more = settings;
  std::erase_if(more, [&](const Setting& setting) { return find_setting(kind.base, setting.option) != nullptr; });
  const bool leave_out = !more.empty() && (more.size() >= kMost || random.once_in(4));
  if (leave_out) {
    const std::string option = random.one_of(more).option;
    std::erase_if(settings, [&](const Setting& setting) { return setting.option == option; });
    return settings;
  }
  const RequestOption& option = random.one_of(request_options());
  const std::string* usual = find_setting(kind.base, option.name);
  put_setting(settings, option.name, usual != nullptr && random.once_in(2) ? *usual : value_of(option, kind));
  return settings;
}

Settings Drawing::changed(const Settings& settings, const WalkKind& kind) {
  Settings next = random.once_in(2) ? with_text_changed(settings, kind) : with_option_drawn(settings, kind);
  try {
    request_of(next);
    return next;
  } catch (const UsageError&) {
    return settings;  // no value of the option: 0 heads
  }
}

}  // namespace headscope
