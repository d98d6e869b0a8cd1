#include <fmt/format.h>

#include <limits>
#include <utility>

#include "core/headvis/headvis_json.h"
#include "core/headvis/headvis_read.h"

namespace headscope {
namespace {

using Kind = JsonValue::Kind;
using Member = JsonCursor::Member;

constexpr std::size_t kMostTokens = std::size_t{1} << 20;  // of a sequence

HeadVisHistogram read_histogram(JsonCursor& at) {
  HeadVisHistogram histogram;
  std::vector<Member> members = at.read_members();
  if (members.empty()) return histogram;
  for (const auto& [key, numbers] : {std::pair{"bin_edges", &histogram.edges}, {"bin_values", &histogram.values}}) {
    Member* found = find_member(members, key);
    if (found == nullptr) at.fail(fmt::format("a histogram without \"{}\"", key));
    each_item(found->value, [&, to = numbers](JsonCursor& item) { to->push_back(item.read_number()); });
  }
  if (histogram.edges.size() != histogram.values.size() + 1) {
    at.fail(fmt::format("a histogram of {} values with {} edges; expected one edge more", histogram.values.size(),
                        histogram.edges.size()));
  }
  for (std::size_t k = 1; k < histogram.edges.size(); ++k) {
    if (histogram.edges[k] <= histogram.edges[k - 1]) at.fail("a histogram whose edges do not increase");
  }
  return histogram;
}

std::vector<HeadVisToken> read_table(JsonCursor& at) {
  std::vector<HeadVisToken> table;
  each_item(at, [&](JsonCursor& item) {
    std::vector<Member> members = item.read_members();
    Member *token = find_member(members, "token"), *weight = find_member(members, "weight");
    if (token == nullptr || weight == nullptr) item.fail("a row of a table without \"token\" or \"weight\"");
    table.push_back({text_at(token->value), weight->value.read_number()});
  });
  return table;
}

// Free-form; what is no number is for reading.
std::map<std::string, double> read_statistics(JsonCursor& at) {
  std::map<std::string, double> numbers;
  for (Member& member : at.read_members()) {
    if (member.value.kind() == Kind::number) numbers[member.key] = member.value.read_number();
  }
  return numbers;
}

class SequenceReader {
 public:
  SequenceReader(JsonCursor& at, const HeadVisConfig& config) : at_(at), members_(at.read_members()) {
    sequence_.interval = own("interval").read_integer(1, config.intervals);
    sequence_.id = read_id(own("sequence_id"));
    sequence_.tokens = texts_at(own("tokens"), kMostTokens);
    read_weights();
    if (Member* largest = find_member(members_, "max_activation");
        largest != nullptr && largest->value.kind() != Kind::null) {
      sequence_.max_activation = largest->value.read_number();
    }
  }
  HeadVisSequence take() { return std::move(sequence_); }

 private:
  JsonCursor& own(const char* key) {
    Member* found = find_member(members_, key);
    if (found == nullptr) at_.fail(fmt::format("a sequence without \"{}\"", key));
    return found->value;
  }

  static std::string read_id(JsonCursor& at) {
    if (at.kind() == Kind::string) return text_at(at);
    return std::to_string(at.read_integer(0, std::numeric_limits<std::int64_t>::max()));
  }

  void read_weights() {
    const auto tokens = static_cast<std::int64_t>(sequence_.tokens.size());
    if (Member* length = find_member(members_, "seq_len")) {
      const std::int64_t said = length->value.read_integer(0, static_cast<std::int64_t>(kMostTokens));
      if (said != tokens) at_.fail(fmt::format("a sequence of {} tokens whose seq_len is {}", tokens, said));
    }
    each_item(own("attention_indices"),
              [&](JsonCursor& item) { sequence_.indices.push_back(item.read_integer(0, tokens * tokens - 1)); });
    each_item(own("attention_values"), [&](JsonCursor& item) { sequence_.values.push_back(item.read_number()); });
    if (sequence_.indices.size() != sequence_.values.size()) {
      at_.fail(fmt::format("a sequence of {} attention_indices and {} attention_values", sequence_.indices.size(),
                           sequence_.values.size()));
    }
  }

  JsonCursor& at_;
  std::vector<Member> members_;
  HeadVisSequence sequence_;
};

template <typename Names>
bool is_named(const Names& names, const std::string& key) {
  for (const HeadVisLabel& label : names) {
    if (label.key == key) return true;
  }
  return false;
}

}  // namespace

HeadVisHead parse_headvis_head(std::string_view json, const HeadVisConfig& config, const std::string& what) {
  JsonCursor cursor(json, what);
  std::vector<Member> members = cursor.read_members();
  cursor.finish();
  HeadVisHead head;
  each_item(need_member(members, "sequences", what),
            [&](JsonCursor& item) { head.sequences.push_back(SequenceReader(item, config).take()); });
  for (Member& member : members) {
    const std::string& key = member.key;
    if (key == "sequences") continue;
    if (key == "qk_distance_histogram" || key == "histogram" || is_named(config.plots, key)) {
      head.plots[key] = read_histogram(member.value);
    } else if (key == "top_query_tokens" || key == "top_key_tokens" || is_named(config.tables, key)) {
      head.tables[key] = read_table(member.value);
    } else if (key == "statistics") {
      head.statistics = read_statistics(member.value);
    }
  }
  return head;
}

}  // namespace headscope
