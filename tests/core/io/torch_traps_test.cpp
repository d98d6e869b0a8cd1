// Files of torch.save that somebody who wants harm would write.
#include "core/io/torch_file.h"
#include "tests/core/io/torch_helpers.h"

namespace headscope {
namespace {

using namespace test;

// The way to run a program from a pickle, in the spellings that scanners were fooled by.
TEST(TorchTraps, NamesWhatItDoesNotRun) {
  const std::string run = pickled_tuple({pickled_text("touch /tmp/headscope-was-here")}) + "R";
  const std::pair<std::string, const char*> cases[] = {
      {pickled_name("os", "system") + run, "os.system"},
      {pickled_name("posix", "system") + run, "posix.system"},
      {pickled_name("builtins", "eval") + run, "builtins.eval"},
      {pickled_name("__builtin__", "getattr") + run, "__builtin__.getattr"},
      {pickled_name("torch", "load") + run, "torch.load"},
      {pickled_name("torch.serialization", "load") + run, "torch.serialization.load"},
      {pickled_name("torch", "FloatStorage.from_file") + run, "torch.FloatStorage.from_file"},
      {pickled_name("collections", "OrderedDict.fromkeys") + run, "collections.OrderedDict.fromkeys"},
      {pickled_name("torch._utils ", "_rebuild_tensor_v2") + run, "torch._utils ._rebuild_tensor_v2"},
      {pickled_text("os") + pickled_text("system") + "\x93" + run, "os.system"},
      // Texts out of the memo, put together late.
      {pickled_text("os") + "q\x01" + pickled_text("system") + "q\x02(h\x01h\x02\x93" + run, "os.system"},
      {"(ios\nsystem\n", "the opcode INST"},
      {"(" + pickled_name("collections", "OrderedDict") + "o", "the opcode OBJ"},
      {pickled_name("collections", "OrderedDict") + ")\x81", "the opcode NEWOBJ"},
      {pickled_name("collections", "OrderedDict") + ")}\x92", "the opcode NEWOBJ_EX"},
      {"\x82\x01", "the opcode EXT1"},
      {"P0\n", "the opcode PERSID"},
      {"I1\n", "the opcode INT"},
      {"K\x01"
       "2",
       "the opcode DUP"},
      {pickled_name("torch", "FloatStorage") + ")R", "a call (REDUCE) of torch.FloatStorage"},
      {"K\x01)R", "a call (REDUCE) of the number 1"},
      {pickled_name("collections", "OrderedDict") + "(" + pickled_name("torch", "Size") + "tR",
       "collections.OrderedDict with other arguments"},
      {pickled_tensor({{1}, {1}, 0, 1}) + "}b", "a BUILD of what torch._utils._rebuild_tensor_v2 gives"},
      {"}}b", "a BUILD of a dictionary"},
      {pickled_name("torch", "FloatStorage") + "}b", "a BUILD of torch.FloatStorage"},
  };
  for (const auto& [body, named] : cases) {
    // Also where nothing looks at it: beside tensors that could be read.
    const std::string beside = pickled_dict({{"a", pickled_tensor({{1}, {1}, 0, 1})}, {"b", body}});
    for (const std::string& value : {body, beside}) {
      for (const std::string& file : both_files(value, floats({1}))) {
        const std::string sentence = refused_pt(file);
        expect_in_refusal(named, sentence);
        expect_in_refusal("rebuilds no tensor", sentence);
        expect_in_refusal("nothing of it was run", sentence);
      }
    }
  }
  EXPECT_FALSE(std::filesystem::exists("/tmp/headscope-was-here"));
}

TEST(TorchTraps, RefusesBrokenPickles) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "breaks off"},
      {"\x80", "breaks off"},
      {"\x80\x09}.", "protocol 9"},
      {"\x80\x02}", "breaks off"},
      {"\x80\x02.", "its stack is empty"},
      {"\x80\x02}}.", "left on its stack"},
      {"\x80\x02(}.", "left on its stack"},
      {"\x80\x02}(.", "its stack is empty"},
      {"\x80\x02u.", "a mark is missing"},
      {"\x80\x02}(K\x01u.", "a key without a value"},
      {"\x80\x02](K\x01K\x02u.", "no dictionary"},
      {"\x80\x02}K\x01"
       "a.",
       "no list"},
      {"\x80\x02h\x05.", "nothing was kept under 5"},
      {"\x80\x02q\x05.", "its stack is empty"},
      {std::string("\x80\x02X\xff\xff\xff\xff", 7), "breaks off"},
      {"\x80\x02"
       "cos",
       "breaks off in a name"},
      {"\x80\x02K\x01K\x02\x93.", "STACK_GLOBAL of no texts"},
      {"\x80\x02\xff.", "0xff is no opcode"},
      {std::string("\x80\x04\x95\xff\0\0\0\0\0\0\0}.", 13), "a frame reaches beyond the end"},
  };
  for (const auto& [pickle, said] : cases) {
    expect_in_refusal(said, refused_pt(torch_archive(pickle, {})));
  }
}

TEST(TorchTraps, RefusesTensorsThatDoNotLieInTheirStorage) {
  constexpr std::int64_t large = std::int64_t{1} << 59;
  const std::pair<PickledTensor, const char*> cases[] = {
      {{{3}, {1}, 0, 2}, "reaches to number 3 of its storage, which has 2"},
      {{{2}, {1}, 1, 2}, "reaches to number 3"},
      {{{2, 2}, {2, 1}, 0, 2}, "reaches to number 4"},
      {{{2}, {large}, 0, 2}, "its storage"},
      {{{2, 2, 2, 2}, {large, large, large, large}, 0, 2}, "its storage"},
      {{{2}, {1}, large, 2}, "its storage"},
      {{{large, large}, {0, 0}, 0, 2}, "too large"},
      {{{1 << 21}, {0}, 0, 2}, "repeats the 2 numbers of its storage"},
      {{{2}, {1, 1}, 0, 2}, "1 sizes and 2 strides"},
      {{{-1}, {1}, 0, 2}, "the number -1"},
      {{{2}, {-1}, 1, 2}, "the number -1"},
      {{{2}, {1}, -1, 2}, "the number -1"},
      {{{3}, {1}, 0, 3}, "storage \"0\""},
      {{{1}, {1}, 0, large}, "storage \"0\""},
      {{{1}, {1}, 0, 2, "1"}, "\"1\""},
      {{{1}, {1}, 0, 2, "../version"}, "\"../version\""},
      {{{1}, {1}, 0, 2, "0", "Size"}, "a storage has the type torch.Size"},
  };
  for (const auto& [tensor, said] : cases) {
    SCOPED_TRACE(said);
    const std::vector<std::string> files = both_files(pickled_dict({{"a", pickled_tensor(tensor)}}), floats({1, 2}));
    expect_in_refusal(said, refused_pt(files[0]));
    expect_in_refusal(tensor.numbers == 2 && tensor.key == "0" ? said : "", refused_pt(files[1]));
  }
}

TEST(TorchTraps, RefusesTrapsInArchives) {
  const std::string pickle = pickled(pickled_dict({{"a", pickled_tensor({{2}, {1}, 0, 2})}}));
  const ZipFile whole{"m/data.pkl", pickle}, storage{"m/data/0", floats({1, 2})};
  const auto with = [&](const ZipFile& third) { return refused_pt(zip_of({whole, storage, third})); };
  EXPECT_EQ(parse_pt(zip_of({whole, storage})).tensors.size(), 1u);
  for (const char* name : {"../x", "/etc/passwd", "n/data/1", "m", "m/../x", "m/./x", "m//x", "m\\x", "m/data/..\\x"}) {
    expect_in_refusal("lies outside of its folder \"m/\"", with({name, "x"}));
  }
  expect_in_refusal("\"m/data/1\" is compressed", with({"m/data/1", std::string(100000, '\0'), true}));
  expect_in_refusal("no deflated data", with({"m/data/1", "x", true, 1u << 30}));
  expect_in_refusal("\"m/data.pkl\" is compressed", refused_pt(zip_of({{"m/data.pkl", pickle, true}, storage})));
  expect_in_refusal("torch.jit.save", with({"m/constants.pkl", "x"}));
  expect_in_refusal("without FOLDER/data.pkl", refused_pt(zip_of({{"m/other.pkl", pickle}, storage})));
  const std::string npz = refused_pt(zip_of({{"a.npy", "x"}}));
  expect_in_refusal("a NumPy .npz archive (a zip), whose arrays are not read as weights", npz);
  expect_in_refusal("safetensors.numpy.save_file", npz);
  expect_in_refusal("stands twice", with({"m/data/0", "x"}));
  expect_in_refusal("is damaged", refused_pt(zip_of({{"m/data.pkl", pickle, false, 0, 1}, storage})));
}

TEST(TorchTraps, RefusesFilesThatLie) {
  const std::string pickle = pickled(pickled_dict({{"a", pickled_tensor({{2}, {1}, 0, 2})}}));
  expect_in_refusal("2 numbers, its tensors say",
                    refused_pt(legacy_torch_file(pickled(pickled_dict({{"a", pickled_tensor({{2}, {1}, 0, 3})}})),
                                                 {{"0", floats({1, 2})}})));
  expect_in_refusal("which no tensor lies in", refused_pt(legacy_torch_file(pickle, {{"1", floats({1, 2})}})));
  expect_in_refusal(
      "has two sizes",
      refused_pt(legacy_torch_file(
          pickled(pickled_dict({{"a", pickled_tensor({{2}, {1}, 0, 2})}, {"b", pickled_tensor({{2}, {1}, 0, 3})}})),
          {{"0", floats({1, 2})}})));
  const std::string good = legacy_torch_file(pickle, {{"0", floats({1, 2})}});
  expect_in_refusal("ends within the storage \"0\" of 8 bytes", refused_pt(good.substr(0, good.size() - 1)));
  expect_in_refusal("a Python pickle", refused_pt(pickled("}")));
  expect_in_refusal("empty", refused_pt(""));
}

// Pickles of some kilobytes that would make gigabytes.
TEST(TorchTraps, GrowsNoMoreThanItsFile) {
  // Each list holds the one before ten times; a walk through all would never end.
  std::string laughs = "]q";
  laughs += '\0';
  for (char level = 1; level < 100; ++level) {
    laughs += "](";
    for (int k = 0; k < 10; ++k) laughs += std::string("h") + static_cast<char>(level - 1);
    laughs += std::string("eq") + level;
  }
  const std::string deep(60000, ']');
  std::string nested = "]";
  for (int k = 0; k < 50000; ++k) nested += "]";
  for (int k = 0; k < 50000; ++k) nested += "a";
  for (const std::string& each : {pickled("]" + laughs + "}"), pickled(nested)}) {
    expect_in_refusal("", refused_pt(torch_archive(each, {})));
  }
  expect_in_refusal("holds a list", refused_pt(torch_archive(pickled(nested), {})));
  expect_in_refusal("left on its stack", refused_pt(torch_archive(pickled(deep), {})));
  expect_in_refusal("more than 100000 marks", refused_pt(torch_archive("\x80\x02" + std::string(100001, '('), {})));
  expect_in_refusal("more than 100000 values on its stack",
                    refused_pt(torch_archive("\x80\x02" + std::string(100001, 'N'), {})));
  expect_in_refusal("kept under 4294967295", refused_pt(torch_archive("\x80\x02Nr\xff\xff\xff\xff.", {})));
  // A list of pairs, made a dictionary again and again.
  std::string pairs = "](";
  for (int k = 0; k < 10000; ++k) pairs += "NN\x86";
  pairs += "eq" + std::string(1, '\0') + pickled_name("collections", "OrderedDict") + "q\x01" + "(";
  for (int k = 0; k < 101; ++k) pairs += std::string("h\x01h\0\x85R", 6);
  expect_in_refusal("more than 1000000 pairs", refused_pt(torch_archive(pickled(pairs + "t"), {})));
}

}  // namespace
}  // namespace headscope
