#include "tests/core/attention/drawn_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/attention/edited_weights.h"
#include "core/model/demo_checkpoints.h"
#include "core/request/intervention_kinds.h"
#include "core/request/mask_terms.h"
#include "core/request/stage_info.h"
#include "core/request/variant_infos.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

std::string one_of(const DrawnFrom& from, const std::vector<std::string>& values) {
  return values.empty() ? "" : from.random.one_of(values);
}

// Draws some of the folder's files whose names begin with the option's, else any of them.
std::string drawn_file(const DrawnFrom& from) {
  std::vector<std::string> own, all;
  for (const auto& entry : fs::directory_iterator(from.files)) {
    const std::string name = entry.path().filename().string();
    all.push_back(entry.path().string());
    const std::string start = std::string(from.option.name) + "-";
    const bool is_own =
        name.starts_with(start) && name.size() > start.size() && name[start.size()] >= '0' && name[start.size()] <= '9';
    if (is_own) own.push_back(entry.path().string());
  }
  std::sort(own.begin(), own.end());
  std::sort(all.begin(), all.end());
  return one_of(from, own.empty() ? all : own);
}

std::string drawn_model(const DrawnFrom& from) {
  std::vector<std::string> models{"seeded"};
  if (const std::string* own = find_setting(from.kind.base, "model")) models.push_back(*own);
  for (const std::string& name : demo_names()) models.push_back("demo:" + name);
  return one_of(from, models);
}

// Of demo:induction, of another size, or none.
std::string drawn_adapter(const DrawnFrom& from) {
  const std::string one = from.files + "/adapter", scale = one_of(from, {"", "*0.5", "*-2"});
  const std::string more = from.random.once_in(3) ? ";" + one + "-of-a-layer" : "";
  return from.random.once_in(6) ? "off:" + one : from.random.once_in(6) ? "none" : one + scale + more;
}

std::string drawn_whole(const DrawnFrom& from) {
  return one_of(from, {"0", "1", "1", "2", "2", "3", "4", "6", "12"});
}

std::string drawn_factor(const DrawnFrom& from) {
  return one_of(from, {"0", "0.5", "1", "1.25", "2", "-1", "-0.75"});
}

std::string drawn_share(const DrawnFrom& from) {
  return one_of(from, {"0.1", "0.25", "0.5", "0.9", "1"});
}

std::string drawn_mask(const DrawnFrom& from) {
  std::string text;
  for (const MaskTermInfo& info : mask_term_infos()) {
    const bool file = info.kind == MaskTerm::Kind::file;
    // Under masks that look back rows are used again, so half of all requests have one.
    if (!from.random.once_in(file ? 8 : info.kind == MaskTerm::Kind::causal ? 2 : 4)) continue;
    const std::string term = file                  ? drawn_file(from)
                             : info.takes_number() ? fmt::format("{}:{}", info.word, from.random.below(4))
                                                   : std::string(info.word);
    text += (text.empty() ? "" : ",") + term;
  }
  return text.empty() ? "none" : text;
}

std::string drawn_variants(const DrawnFrom& from) {
  std::vector<std::string> names;
  for (int count = 1 + from.random.below(4) / 3; count > 0; --count) {
    names.emplace_back(from.random.one_of(variant_infos()).text);
  }
  return fmt::format("{}", fmt::join(names, ","));
}

std::string drawn_place(const DrawnFrom& from) {
  return fmt::format("{}.{}", from.random.below(2), from.random.below(3));
}

std::string drawn_heads(const DrawnFrom& from) {
  return drawn_place(from) + (from.random.once_in(3) ? "," + drawn_place(from) : "");
}

std::string drawn_frozen(const DrawnFrom& from) {
  return drawn_place(from) + (from.random.once_in(2) ? "=uniform" : "=identity");
}

std::string drawn_factors(const DrawnFrom& from) {
  return (from.random.once_in(3) ? "" : drawn_place(from) + "=") + drawn_factor(from);
}

std::string drawn_layer(const DrawnFrom& from) {
  return from.random.once_in(2) ? "" : fmt::format("{}/", from.random.below(2));
}

std::string drawn_stage(const DrawnFrom& from) {
  return std::string(stage_name(from.random.one_of(all_stages())));
}

// Draws a number of a stage, or of a tensor of the layer that was computed last.
std::string drawn_edit(const DrawnFrom& from) {
  std::string name = drawn_stage(from);
  std::size_t rank = stage_info(*stage_named(name)).axes.size();
  if (from.last != nullptr && from.random.once_in(4)) {
    const std::vector<WeightTensor> tensors = weight_tensors(from.last->inputs->weights);
    if (!tensors.empty()) {
      const WeightTensor& tensor = from.random.one_of(tensors);
      name = tensor.name;
      rank = static_cast<std::size_t>(tensor.tensor.rank());
    }
  }
  std::vector<int> index;
  for (std::size_t axis = 0; axis < rank; ++axis) index.push_back(axis == 0 && rank > 2 ? 0 : from.random.below(3));
  return fmt::format("{}{}:{}={}", drawn_layer(from), name, fmt::join(index, ","), drawn_factor(from));
}

std::string drawn_rectangle(const DrawnFrom& from) {
  const int i = from.random.below(4), j = from.random.below(4);
  return fmt::format("{}@{}:{},{}", from.random.once_in(2) ? "hide" : "show", i, i + 1 + from.random.below(3),
                     from.random.once_in(3) ? std::string(":") : fmt::format("{}", j));
}

std::string drawn_patch(const DrawnFrom& from) {
  const std::string stage = from.random.once_in(4)   ? kStreamPatch
                            : from.random.once_in(6) ? kMlpPatch
                                                     : drawn_stage(from);
  const std::vector<std::string> places{"", ":0", ":1", ":,1", ":0,2"};
  return fmt::format("{}{}{}@A", drawn_layer(from), stage, one_of(from, places));
}

// What is put there: a number, or an array of 1 to 5 rows of four or twelve features, which may not fit.
std::string drawn_array(const DrawnFrom& from) {
  const std::vector<std::string> more{"stream", "mlp_out", "attention_out", "z"};
  const std::string stage = from.random.once_in(3) ? one_of(from, more) : drawn_stage(from);
  const std::vector<std::string> places{"", "", ":0", ":1", ":,1", ":0,-1", ":,0..1", ":-2..-1"};
  const bool number = from.option.name == std::string_view("set") && from.random.once_in(2);
  const std::vector<std::string> files{"array-4.npy", "array-12.npy", "array-16.npy", "array-64.npy", "array-2x4.npy"};
  const std::string factor = from.option.name == std::string_view("add") && from.random.once_in(2) ? "*-0.5" : "";
  return fmt::format("{}{}{}={}{}", drawn_layer(from), stage, one_of(from, places),
                     number ? drawn_factor(from) : from.files + "/" + one_of(from, files), factor);
}

struct DrawnRow {
  std::string_view placeholder;
  std::string (*draw)(const DrawnFrom&);
};

constexpr DrawnRow kDrawn[] = {
    {"", [](const DrawnFrom&) { return std::string("on"); }},
    {"TEXT", drawn_text},
    {"1,2,0", drawn_ids},
    {"0,5,9", drawn_ids},
    {"N,N",
     [](const DrawnFrom& from) {
       return one_of(from, {"1", "2,1", "1,2,2"});
     }},
    {"FILE", drawn_file},
    {"FILE.npy", drawn_file},
    {"SESSION", [](const DrawnFrom&) { return std::string("A"); }},
    {"demo:NAME|seeded|PATH", drawn_model},
    {"DIR[*SCALE][;...]", drawn_adapter},
    {"N", drawn_whole},
    {"G", drawn_factor},
    {"P", drawn_share},
    {"C",
     [](const DrawnFrom& from) {
       return one_of(from, {"off", "0.5", "2", "50"});
     }},
    {"auto|S",
     [](const DrawnFrom& from) {
       return one_of(from, {"auto", "0.3", "1", "-0.25"});
     }},
    {"-inf|VALUE",
     [](const DrawnFrom& from) {
       return one_of(from, {"-inf", "-1e20", "-10000", "-2", "0"});
     }},
    {"MASK[,MASK...]", drawn_mask},
    {"NAME[,NAME]", drawn_variants},
    {"L.H[,L.H]", drawn_heads},
    {"L.H=uniform|identity[,...]", drawn_frozen},
    {"G|L.H=G[,...]", drawn_factors},
    {"[L/]STAGE:B,H,I,J=VALUE[;...]", drawn_edit},
    {"hide@I0:I1,J0:J1[;show@...]", drawn_rectangle},
    {"[L/]STAGE[:H[,I]]@A[;...]", drawn_patch},
    {"[L/]STAGE[:H[,I]|:I]=FILE.npy|NUMBER[;...]", drawn_array},
    {"[L/]STAGE[...]=FILE.npy[*FACTOR][;...]", drawn_array},
    {"[L/]STAGE[...]=FILE.npy[;...]", drawn_array},
};

// "top-left|bottom-right": one of these words. Empty where the placeholder holds anything else.
std::vector<std::string> words_of_placeholder(std::string_view placeholder) {
  if (placeholder.find_first_not_of("abcdefghijklmnopqrstuvwxyz-|") != placeholder.npos) return {};
  std::vector<std::string> words(1);
  for (const char c : placeholder) {
    if (c == '|') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

}  // namespace

std::string drawn_text(const DrawnFrom& from) {
  std::vector<std::string> words;
  for (int count = 1 + from.random.below(6); count > 0; --count) words.push_back(one_of(from, from.kind.words));
  return fmt::format("{}", fmt::join(words, " "));
}

std::string drawn_ids(const DrawnFrom& from) {
  std::vector<int> ids;
  for (int count = 1 + from.random.below(6); count > 0; --count) ids.push_back(from.random.below(12));
  return fmt::format("{}", fmt::join(ids, ","));
}

std::string drawn_value(const DrawnFrom& from) {
  for (const DrawnRow& row : kDrawn) {
    if (row.placeholder != from.option.placeholder) continue;
    // It is listed, but not in effect.
    const bool off = is_intervention(from.option.name) && from.random.once_in(8);
    return (off ? "off:" : "") + row.draw(from);
  }
  const std::vector<std::string> words = words_of_placeholder(from.option.placeholder);
  if (words.empty()) {
    ADD_FAILURE() << "nothing is drawn for " << from.option.placeholder << ", the placeholder of --" << from.option.name
                  << ": add a row to kDrawn of " << __FILE__;
    return "";
  }
  return one_of(from, words);
}

}  // namespace headscope
