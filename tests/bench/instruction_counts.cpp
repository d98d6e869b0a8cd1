// What instruction_counts.py counts the instructions of: five sizes, one forward each with one thread, its weights
// packed before; a search through names as the palette makes it; a search for the mistake of a context; then texts of N
// and 2N units for every kind of vocabulary, where their graphemes end, and in which order right-to-left letters and
// brackets are seen. Prints the vector instructions in use, then the sizes in the order in which they run.
#include <fmt/format.h>
#include <hwy/targets.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/dialogs/palette_match.h"
#include "core/attention/forward.h"
#include "core/base/utf8.h"
#include "core/diagnose/diagnose.h"
#include "core/model/load_inputs.h"
#include "core/model/seeded.h"
#include "core/text/tokenizer.h"
#include "core/text/visual_order.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/bench/phrases.h"

// Callgrind switches its counting on and off by this name.
extern "C" __attribute__((noinline)) void headscope_counted(const std::function<void()>& forward) {
  forward();
}

namespace headscope {
namespace {

void count(const std::string& size, const std::function<void()>& forward) {
  std::printf("%s\n", size.c_str());
  forward();  // takes memory
  forward();  // packs weights
  headscope_counted(forward);
}

void count_layer(std::int64_t batch, std::int64_t tokens, std::int64_t input_dim, std::int64_t d_model,
                 std::int64_t heads, bool causal) {
  Request request;
  request.phrase = phrase_of(tokens);
  request.batch = batch;
  request.embedding = Embedding::sequence;
  request.input_dim = input_dim;
  request.d_model = d_model;
  request.heads = heads;
  if (causal) request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  InputCache cache;
  const auto inputs = std::make_shared<const Inputs>(load_inputs(request, cache));
  const auto backend = make_cpu_backend(1);
  count(fmt::format("{},{},{},{},{},{}", batch, tokens, input_dim, d_model, heads, causal ? "causal" : "none"),
        [&] { forward(request, inputs, backend, CancelToken()); });
}

// Attention alone whose weights are not kept.
void count_flash(std::int64_t tokens, std::int64_t heads, std::int64_t head_dim) {
  Request request;
  request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  ScoreRule rule;
  rule.scale = 1.0 / std::sqrt(static_cast<double>(head_dim));
  rule.mask = std::make_shared<const Mask>(
      build_mask(request, {}, {.batch = 1, .heads = heads, .query_len = tokens, .key_len = tokens}));
  TorchGenerator generator(0);
  const auto drawn = [&] {
    std::vector<float> values(static_cast<std::size_t>(heads * tokens * head_dim));
    generator.randn(heads * tokens * head_dim, values.data());
    return Tensor::of({1, heads, tokens, head_dim}, {Axis::batch, Axis::head, Axis::position, Axis::feature},
                      std::move(values));
  };
  const Tensor query = drawn(), key = drawn(), value = drawn();
  AttentionResults results;
  results.statistics.max = Tensor::zeros({1, heads, tokens}, {Axis::batch, Axis::head, Axis::query});
  results.statistics.sum = Tensor::zeros({1, heads, tokens}, {Axis::batch, Axis::head, Axis::query});
  results.context = Tensor::zeros(query.shape(), query.axes());
  const auto backend = make_cpu_backend(1);
  const QueryRange all{{0, 1}, {0, heads}, {0, tokens}};
  count(fmt::format("attn:{},{},{},causal", tokens, heads, head_dim),
        [&] { backend->attention({.query = query, .key = key, .rule = rule}, value, all, results, CancelToken()); });
}

// What the palette does at every key: a text with two wrong letters against every name.
void count_search(int names) {
  std::vector<std::string> all;
  for (int k = 0; k < names; ++k) all.push_back(fmt::format("token{} word", k * 7919 % 20011));
  const ui::SearchQuery query = ui::search_query("tokne wodr");
  count(fmt::format("search:{}", names), [&] {
    for (const std::string& name : all) ui::match_rank(query, name, true);
  });
}

// A context whose mask shows one key too many: every known mistake is tried.
void count_diagnosis(std::int64_t tokens, std::int64_t heads, std::int64_t head_dim) {
  TorchGenerator generator(1);
  const auto drawn = [&] {
    std::vector<float> values(static_cast<std::size_t>(heads * tokens * head_dim));
    generator.randn(heads * tokens * head_dim, values.data());
    return Tensor::of({1, heads, tokens, head_dim}, {Axis::batch, Axis::head, Axis::position, Axis::feature},
                      std::move(values));
  };
  Inputs inputs;
  inputs.query = drawn();
  inputs.key = drawn();
  inputs.value = drawn();
  inputs.query_len = inputs.key_len = tokens;
  inputs.num_heads = inputs.num_kv_heads = heads;
  inputs.head_dim = inputs.value_head_dim = head_dim;
  inputs.d_model = heads * head_dim;
  for (std::int64_t k = 0; k < tokens; ++k) inputs.tokens.push_back(fmt::format("t{}", k));
  inputs.key_tokens = inputs.tokens;
  const auto made = std::make_shared<const Inputs>(std::move(inputs));
  const auto backend = make_cpu_backend(1);
  Request request;
  request.query = request.key = request.value = "given.npy";
  request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  const auto ours = forward(request, made, backend, CancelToken());
  Request wrong = request;
  for (std::int64_t i = 0; i + 1 < tokens; ++i) wrong.paint.push_back({false, i, i + 1, i + 1, i + 2, true});
  const Tensor theirs = forward(wrong, made, backend, CancelToken())->tensor(StageId::context);
  count(fmt::format("diagnose:{},{},{}", tokens, heads, head_dim), [&] {
    diagnose(*ours, {{StageId::context, theirs}}, backend, {}, CancelToken());
  });
}

// One long word without blanks, words, emoji, marks on one letter.
std::string text_of(const std::string& unit, int units) {
  std::string text = unit == "\u0301" ? "e" : "";
  for (int k = 0; k < units; ++k) text += unit == "word" ? fmt::format("w{} ", 100'000 + k) : unit;
  return text;
}

// What is repeated, and how it is called: names hold no blanks.
using Units = std::span<const std::pair<const char*, const char*>>;

constexpr std::pair<const char*, const char*> kUnits[] = {
    {"x", "x"}, {"ab", "ab"}, {"the", "the"}, {"word", "word"}, {"emoji", "\U0001F600"}, {"marks", "\u0301"}};

// Letters of both directions, brackets that nobody closes, isolates and embeddings within each other.
constexpr std::pair<const char*, const char*> kDirections[] = {{"hebrew", "\u05D0"},
                                                               {"brackets", "(\u05D0[\u05D1"},
                                                               {"mixed", "a\u05D0"},
                                                               {"isolates", "\u2067a\u2066\u05D0"},
                                                               {"embeddings", "\u202Ba\u202E"},
                                                               {"ends", "\u2069\u202C"}};

void count_texts(const std::string& name, Units units, const std::function<void(const std::string&)>& work) {
  constexpr int few = 5000;
  for (const auto& [label, unit] : units) {
    for (const int n : {few, 2 * few}) {
      const std::string text = text_of(unit, n);
      count(fmt::format("text:{}:{}:{}", name, label, n == few ? "N" : "2N"), [&] { work(text); });
    }
  }
}

std::u32string code_points(const std::string& text) {
  std::u32string points;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    points += static_cast<char32_t>(point.value);
    at += static_cast<std::size_t>(point.bytes);
  }
  return points;
}

void count_tokenizer(const std::string& name, const std::shared_ptr<const Tokenizer>& tokenizer) {
  count_texts(name, kUnits, [&](const std::string& text) { tokenizer->tokenize(text); });
}

// A vocabulary whose merges join a repeated letter again and again: all candidates have the same rank.
std::shared_ptr<const Tokenizer> repeated_letter_tokenizer() {
  const TemporaryFolder folder;
  std::string vocabulary = R"({"x": 0, "a": 1, "b": 2)", merges = "#version: 0.2\n";
  int id = 3;
  const auto join = [&](const std::string& a, const std::string& b) {
    vocabulary += fmt::format(R"(, "{}": {})", a + b, id++);
    merges += fmt::format("{} {}\n", a, b);
  };
  for (std::string half = "x"; half.size() < 32; half += half) join(half, half);
  join("a", "b");
  join("ab", "ab");
  folder.write("vocab.json", vocabulary + "}");
  folder.write("merges.txt", merges);
  return load_tokenizer(folder.path());
}

void count_all_texts() {
  for (const char* kind : {"byte_level", "byte_pieces", "unigram", "word_piece"}) {
    count_tokenizer(kind, load_tokenizer(fmt::format("{}/tests/golden/tokenizers/{}", HEADSCOPE_SOURCE_DIR, kind)));
  }
  count_tokenizer("repeated_letter", repeated_letter_tokenizer());
  count_tokenizer("words", make_word_tokenizer());
  count_texts("visual_order", kDirections,
              [](const std::string& text) { visual_order(embedding_levels(code_points(text))); });
  count_texts("graphemes", kUnits, [](const std::string& text) {
    for (std::size_t at = 0; at < text.size();) at = next_grapheme(text, at);
    for (std::size_t at = text.size(); at > 0;) at = previous_grapheme(text, at);
  });
}

void count_all() {
  const std::int64_t targets = hwy::SupportedTargets();
#ifdef __clang__
  constexpr const char* compiler = ",clang";  // another compiler, other instructions
#else
  constexpr const char* compiler = "";
#endif
  std::printf("%s%s\n", hwy::TargetName(targets & -targets), compiler);
  count_layer(1, 4, 512, 512, 8, false);
  count_layer(1, 16, 512, 512, 8, true);
  count_layer(10, 5, 512, 256, 4, false);
  count_layer(1, 64, 384, 384, 6, true);
  count_flash(512, 2, 64);
  count_search(20'000);
  count_diagnosis(12, 2, 8);
  count_all_texts();
}

}  // namespace
}  // namespace headscope

int main() {
  headscope::count_all();
}
