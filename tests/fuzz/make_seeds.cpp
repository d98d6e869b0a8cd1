// Writes the small files that the fuzz targets start from: make_seeds FOLDER
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "core/export/session_file.h"
#include "core/io/npy.h"
#include "core/io/png.h"
#include "core/io/safetensors.h"
#include "core/request/request_text.h"
#include "tests/core/io/gguf_files.h"
#include "tests/core/io/npz_files.h"
#include "tests/core/io/pickle_files.h"
#include "tests/core/text/sentence_piece_files.h"
#include "tests/faults/json_traps.h"
#include "tests/faults/readers.h"

using namespace headscope;

namespace {

std::filesystem::path root;

void seed(const std::string& target, const std::string& name, const std::string& bytes) {
  std::filesystem::create_directories(root / target);
  std::ofstream(root / target / name, std::ios::binary) << bytes;
}

std::string npy(const std::string& descr, const std::string& order, const std::string& values) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': (2, 2), }\n";
  return std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(header.size()) + '\0' + header + values;
}

// Lines, and the texts of options.
void texts() {
  seed("text_layout", "scripts",
       "ab \xd7\x90\xd6\xb8(1) \xd8\xa8\xd8\xb3\xd9\x85 \xe0\xa4\x95\xe0\xa5\x8d\xe0\xa4\xb7 e\xcc\x81 "
       "\xe2\x81\xa7\xe2\x81\xa9\xff");
  seed("utf8", "mixed", "caf\xc3\xa9 \xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7 \xe5\xad\x97\n\xff\xed\xa0\x80");
  for (const RequestOption& option : request_options()) {
    seed("request_text", option.name, std::string(option.name) + "\n" + option.placeholder);
  }
  for (const char* line : {"mask\ncausal,padding:2,window:1,prefix:3,m.npy", "ablate\n0.1,2.3", "scale\n0.125",
                           "variant\nno-scale,merge-direct", "token-ids\n1,2,0", "mask-fill\n-1e20", "heads\n8",
                           "seed\n18446744073709551615"}) {
    seed("request_text", std::string("value_") + std::to_string(std::string(line).size()), line);
  }
}

void arrays() {
  seed("npy", "float32", npy("<f4", "False", std::string("\0\0\x80\x3f\0\0\xc0\x7f\0\0\x80\xff\1\0\0\0", 16)));
  seed("npy", "fortran_float64", npy(">f8", "True", std::string(32, '\x3f')));
  seed("npy", "half", npy("<f2", "False", "12345678"));
  seed("npy", "bool", npy("|b1", "True", std::string("\0\1\0\1", 4)));
  seed("npy", "int64", npy("<i8", "False", std::string(32, '\x81')));

  const std::string half = npy("<f2", "False", "12345678");
  seed("npz", "stored", test::zip_of({{"weights.npy", half}, {"tokens.npy", npy("|S4", "False", "the cat  sat on ")}}));
  seed("npz", "deflated", test::zip_of({{"arr_0.npy", half, true}, {"arr_1.npy", half, true}}));

  const std::string dict = test::pickled_dict({{"a", test::pickled_tensor({{2, 2}, {1, 2}, 1, 16})},
                                               {"b", test::pickled_tensor({{3}, {1}, 0, 32, "0", "HalfStorage"})}});
  seed("torch", "pickle", test::pickled(dict));
  seed("torch", "training", test::pickled(test::pickled_dict({{"model", dict}, {"step", "K\x05"}})));
  seed("torch", "archive", test::torch_archive(test::pickled(dict), {{"0", std::string(64, 'x')}}));
  const std::string legacy = test::legacy_torch_file(test::pickled(dict), {{"0", std::string(64, 'x')}});
  seed("torch", "legacy", legacy);
  const std::string frame = std::string("\x80\x04\x95\x0d", 4) + std::string(7, '\0');
  seed("torch", "legacy_protocol_4", frame + legacy.substr(2));

  const Tensor tensor = Tensor::of({2, 2}, {Axis::query, Axis::key}, {1, -2, 3, 4});
  std::ostringstream safetensors;
  write_safetensors(safetensors, {{"a", &tensor}, {"b", &tensor}}, {{"num_heads", "8"}});
  seed("safetensors", "two", safetensors.str());
  seed("safetensors", "header",
       R"({"a":{"dtype":"BF16","shape":[0,3],"data_offsets":[0,0]},"__metadata__":{"k":"v"}})");
}

void tokenizers() {
  const std::string text = std::string(1, '\0') + "H\u00e9llo, w\u00f6rld  \u4f60 12\n<s>a";
  seed(
      "tokenizer", "byte_level",
      R"({"added_tokens":[{"id":3,"content":"<s>","special":true,"lstrip":true,"normalized":true}],"normalizer":)"
      R"({"type":"Sequence","normalizers":[{"type":"NFKC"},{"type":"Lowercase"}]},"pre_tokenizer":{"type":"ByteLevel",)"
      R"("add_prefix_space":true},"post_processor":{"type":"RobertaProcessing","sep":["b",1],"cls":["a",0]},)"
      R"("decoder":{"type":"ByteLevel"},"model":{"type":"BPE","vocab":{"l":0,"o":1,"lo":2},"merges":["l o"]}})" +
          text);
  seed("tokenizer", "word_piece",
       R"({"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":"BertPreTokenizer"},"decoder":{"type":)"
       R"("WordPiece"},"model":{"type":"WordPiece","unk_token":"u","vocab":{"u":0,"w":1,"##o":2,"hello":3}}})" +
           text);
  seed("tokenizer", "unigram",
       R"json({"normalizer":{"type":"Replace","pattern":{"Regex":" +"},"content":" "},"pre_tokenizer":{"type":)json"
       R"json("Sequence","pretokenizers":[{"type":"Split","pattern":{"Regex":"\\d|\\s+(?!\\S)"},"behavior":)json"
       R"json("MergedWithNext"},{"type":"Metaspace","prepend_scheme":"first"}]},"decoder":{"type":"Sequence",)json"
       R"json("decoders":[{"type":"ByteFallback"},{"type":"Metaspace"},{"type":"Strip","content":" ","start":1,)json"
       R"json("stop":1}]},"model":{"type":"Unigram","unk_id":0,"byte_fallback":true,"vocab":[["u",0],["l",-1.5],)json"
       R"json(["lo",-2],["<0xC3>",-3],["<0xB6>",-3]]}})json" +
           text);
}

// Pieces of every type, blanks as they are typed, bytes: a file, 0xFF 0xFE and a text.
void sentence_pieces() {
  using test::number_field;
  using test::piece;
  std::string pieces = piece("<unk>", 0, 2) + piece("<s>", 0, 3) + piece("</s>", 0, 3);
  pieces += piece("a", -1) + piece("b", -2) + piece("ab", -3) + piece("ba", 0, 4) + piece("<0x63>", 0, 6);
  const std::string text =
      "\xFF\xFE"
      "b abba c";
  seed("sentence_piece", "unigram", pieces + piece("z", 0, 5) + test::text_field(3, number_field(5, 0)) + text);
  seed("sentence_piece", "bpe", pieces + test::text_field(2, number_field(3, 2) + number_field(35, 1)) + text);
}

void configs() {
  seed("model_config", "gpt2",
       R"({"model_type":"gpt2","vocab_size":9,"n_embd":8,"n_layer":2,"n_head":2,"n_positions":6,"n_inner":null})");
  seed("model_config", "roberta",
       R"({"model_type":"roberta","vocab_size":9,"hidden_size":8,"num_hidden_layers":2,"num_attention_heads":2,)"
       R"("max_position_embeddings":9,"pad_token_id":1,"hidden_act":"gelu","type_vocab_size":1})");
  seed("model_config", "llama",
       R"({"model_type":"llama","vocab_size":9,"hidden_size":8,"num_hidden_layers":2,"num_attention_heads":2,)"
       R"("num_key_value_heads":1,"rope_scaling":{"rope_type":"llama3","factor":8.0,"low_freq_factor":1.0,)"
       R"("high_freq_factor":4.0,"original_max_position_embeddings":64},"rms_norm_eps":1e-6})");
  seed("model_config", "mistral",
       R"({"model_type":"mistral","vocab_size":9,"hidden_size":8,"num_hidden_layers":2,"num_attention_heads":2,)"
       R"("sliding_window":3,"layer_types":["sliding_attention","sliding_attention"]})");
  seed(
      "model_map", "two layers",
      R"({"name":"m","matrices":"out_in","architecture":{"num_layers":2,"num_heads":2,"max_positions":9,"causal":true,)"
      R"("norm":"rms","norm_eps":1e-5,"norm_first":true,"rotary":{"pairs":"halves"}},"tensors":{"word.weight":"w",)"
      R"("attention_norm.weight":"l.{layer}.n","query.weight":"l.{layer}.q","key.weight":"l.{layer}.k",)"
      R"("value.weight":"l.{layer}.v","output.weight":"l.{layer}.o"},"unsure":[]})");
  seed("weight_index", "two",
       R"({"metadata":{"total_size":1},"weight_map":{"a":"model-00001-of-00002.safetensors","b":"c.safetensors"}})");
  // A name by its number, then JSON: tests/fuzz/capture_facts_fuzz.cpp.
  seed("capture_facts", "names", "x[\"x\",\"y\"]\ny[\"a\",\"b\",\"c\"]\n");
  seed("capture_facts", "numbers", "z0.125\n{true\n|[1,2]\n}[1,3]\n");
}

void models() {
  using Kind = GgufField::Kind;
  test::GgufWriter file;
  file.alignment = 8;
  file.u32("general.alignment", 8).text("general.architecture", "llama").u32("llama.block_count", 1);
  file.u32("llama.embedding_length", 2).u32("llama.attention.head_count", 1).u32("llama.context_length", 4);
  file.u32("llama.feed_forward_length", 2).f32("llama.attention.layer_norm_rms_epsilon", 0.5F);
  file.text("tokenizer.ggml.model", "llama").texts("tokenizer.ggml.tokens", {"<unk>", "<s>", "a", "aa"});
  file.list<std::int32_t>("tokenizer.ggml.token_type", Kind::i32, {2, 3, 1, 1});
  file.list<float>("tokenizer.ggml.scores", Kind::f32, {0, 0, -1, -2});
  file.tensor("token_embd.weight", {3, 2}, "F32", std::string(24, '\0'));
  file.tensor("blk.0.attn_q.weight", {1, 32}, "Q4_0", std::string(18, '\1'));
  seed("gguf", "llama", file.bytes());
  test::GgufWriter bytes;
  bytes.text("tokenizer.ggml.model", "gpt2").text("tokenizer.ggml.pre", "gpt-2");
  bytes.texts("tokenizer.ggml.tokens", {"a", "b", "ab"}).texts("tokenizer.ggml.merges", {"a b"});
  bytes.tensor("x", {1, 256}, "Q6_K", std::string(210, '\2')).tensor("y", {3}, "BF16", std::string(6, '\3'));
  seed("gguf", "gpt2", bytes.bytes());
}

void sessions() {
  Request request;
  request.phrase = "caf\xc3\xa9 \"it's\"";
  request.heads = 4;
  request.seed = ~std::uint64_t{0};
  request.mask_fill = -1e20;
  request.scale = 0.1;
  request.mask = {{MaskTerm::Kind::causal, 0, ""}, {MaskTerm::Kind::padding, 2, ""}};
  ViewSpec view;
  view.colormap = ColorMap::magma;
  view.range = RangeKind::fixed;
  seed("session", "small", session_json(request, view));
  seed("session", "nested",
       "{\"request\": " + request_json(request) + ", \"view\": {\"range\": [0, 1], \"log\": true}}");
}

// The small file of every row of tests/faults/readers.h, for the targets that the row names.
void rows() {
  for (const test::Reader& row : test::readers()) {
    std::istringstream targets(row.fuzz);
    for (std::string target; targets >> target;) {
      const std::string head = target.ends_with("_files") ? std::string(row.name) + "\n" : "";
      seed(target, std::string("row_") + row.name, head + row.small());
    }
  }
}

// What JSON is, and what looks like it.
void json() {
  int number = 0;
  for (const test::JsonTrap& trap : test::json_traps(R"({"a":[1,-0.5e2,true,null],"b":{"\u00e9\n":"\ud83d\ude00"}})")) {
    if (trap.text.size() < 1000) seed("json", "trap_" + std::to_string(++number), trap.text);
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  root = arguments[1];

  arrays();
  tokenizers();
  sentence_pieces();
  configs();
  models();
  sessions();
  seed("csv", "mask", "0,-inf,1e-3\n1,nan,-2.5\n");
  seed("csv", "windows", "\xef\xbb\xbf 1 , 2\r\n3,\t4\r\n\r\n");

  std::ostringstream png;
  write_png(png, Image(3, 2, {1, 2, 3, 255}), {{"headscope", "{}"}});
  seed("png", "small", png.str());

  texts();
  rows();
  json();
  seed("vocabulary", "gpt2", std::string("{\"l\":0,\"o\":1,\"lo\":2}\0l o\n\0lo l", 30));
  seed("token_names", "words", "the cat\nsat");
  return 0;
}
