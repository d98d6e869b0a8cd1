// No command replaces what it has read: every one of the table that has --out, every file that it would write.
#include <sys/wait.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "tests/app/cli/command.h"
#include "tests/core/model/adapter_files.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

// A way to call a command: what is read, and where it writes.
struct Way {
  std::vector<std::string> words;
  std::string input;  // of the files of make_inputs(); "": the command reads no file of a user's
  std::string out;    // the value of --out
  std::string option = "--out";
};

const std::vector<std::string> kSession = {"--session", "s.json"};

std::vector<std::string> with_session(std::vector<std::string> words) {
  words.insert(words.end(), kSession.begin(), kSession.end());
  return words;
}

// A row a command.
const std::multimap<std::string, Way>& ways() {
  static const std::multimap<std::string, Way> all = {
      {"run", {with_session({"--export", "weights,context", "--format", "npy"}), "s.json", "out"}},
      {"run", {with_session({"--export", "all", "--format", "safetensors"}), "s.json", "out"}},
      {"render", {with_session({"--view", "heads"}), "s.json", "x.png"}},
      {"render", {with_session({"--view", "heads"}), "s.json", "x.svg"}},
      {"render", {with_session({"--view", "heads"}), "s.json", "x.pdf"}},
      {"render", {with_session({}), "s.json", "x.html"}},
      {"explain", {with_session({"--stage", "weights", "--at", "0,0,2,1"}), "s.json", "x.svg"}},
      {"attribute", {with_session({"--at", "2", "--token", "box"}), "s.json", "x.csv"}},
      {"score", {with_session({"--layer", "1", "--head", "0", "--at", "2,1"}), "s.json", "x.csv"}},
      {"compare", {with_session({"--against", "a.json", "--stage", "weights"}), "a.json", "out"}},
      {"compare", {with_session({"--against", "a.json"}), "a.json", "x.csv"}},
      {"sweep",
       {with_session({"--against", "a.json", "--patch", "heads", "--metric", "logit:ink-box"}), "a.json", "x.csv"}},
      {"gradients", {with_session({"--metric", "loss"}), "s.json", "x.csv"}},
      {"gradients", {with_session({"--metric", "loss"}), "s.json", "x.safetensors"}},
      {"circuits", {{"--model", "m"}, "m/config.json", "x.csv"}},
      {"script", {with_session({"--as", "numpy"}), "s.json", "out"}},
      {"info", {{"m"}, "m/config.json", "map.json", "--map-draft"}},
      {"scan", {{"--model", "m", "--phrases", "p.txt"}, "m/config.json", "x.hsagg"}},
      {"scan", {{"--model", "m", "--phrases", "p.txt"}, "p.txt", "x.hsagg"}},
      {"scan",
       {{"--model", "m", "--adapter", "lora", "--phrases", "p.txt"}, "lora/adapter_model.safetensors", "x.hsagg"}},
      {"merge", {{"p.hsagg"}, "p.hsagg", "x.hsagg"}},
      {"report", {{"p.hsagg", "--format", "csv"}, "p.hsagg", "out"}},
      {"report", {{"p.hsagg", "--against", "p.hsagg", "--format", "csv"}, "p.hsagg", "out"}},
      {"report", {{"p.hsagg", "--format", "png"}, "p.hsagg", "out"}},
      {"report", {{"p.hsagg", "--format", "headvis"}, "p.hsagg", "out"}},
      {"worksheet", {{}, "", "x.pdf"}},
      {"handout", {{"--session", "l.json"}, "l.json", "x.pdf"}},
      {"handout", {{"--session", "l.json"}, "l.json", "x.html"}},
      {"manual", {{"--as", "man"}, "", "x.1"}}};
  return all;
}

// The names of the commands, as --help has them.
std::set<std::string> command_names() {
  std::set<std::string> names;
  std::istringstream help(run_cli({"--help"}).out);
  const std::string before = "headscope-cli ";
  for (std::string line; std::getline(help, line);) {
    if (!line.starts_with(before)) continue;
    const std::string name = line.substr(before.size(), line.find(' ', before.size()) - before.size());
    if (!name.starts_with('-') && std::islower(static_cast<unsigned char>(name[0])) != 0) names.insert(name);
  }
  return names;
}

class OwnInputs : public CommandTest {
 protected:
  OwnInputs() { make_inputs("before"); }

  std::string in(const std::string& folder, const std::string& name) const { return folder_ / (folder + "/" + name); }

  void make_inputs(const std::string& folder) {
    const std::string demo = std::string(HEADSCOPE_SOURCE_DIR) + "/assets/demos/induction";
    fs::create_directories(in(folder, ""));
    fs::copy(demo, in(folder, "m"));
    fs::permissions(in(folder, "m"), fs::perms::owner_all);
    MadeAdapter adapter;
    adapter.add("layers.1.output", 64, 64);
    adapter.write(in(folder, "lora"));
    folder_.write(folder + "/s.json", R"({"headscope": "1.0.0", "model": "m", "phrase": "cat box ink fox"})");
    folder_.write(folder + "/a.json", R"({"headscope": "1.0.0", "model": "m", "phrase": "cat box fox ink"})");
    folder_.write(folder + "/l.json", R"({"headscope": "1.1.0", "model": "m", "phrase": "cat box ink fox", )"
                                      R"("window": {"lesson": [{"words": "Look.", "view": {"head": 1}}]}})");
    folder_.write(folder + "/p.txt", "cat box ink\nfox jam cat\n");
    if (folder != "before") {
      fs::copy(in("before", "p.hsagg"), in(folder, "p.hsagg"));
      return;
    }
    const Result made = run_in(folder, {"scan", "--model", "m", "--phrases", "p.txt", "--out", "p.hsagg"});
    ASSERT_EQ(made.code, 0) << made.err;
  }

  Result run_in(const std::string& folder, const std::vector<std::string>& words) {
    return run_cli(words, {in(folder, ""), "", {}});
  }
  Result run_way(const std::string& folder, const std::string& command, const Way& way) {
    std::vector<std::string> words = {command};
    words.insert(words.end(), way.words.begin(), way.words.end());
    words.insert(words.end(), {way.option, way.out});
    return run_in(folder, words);
  }
  // Name and bytes of all files below a folder.
  std::map<std::string, std::string> files_of(const std::string& folder) const {
    std::map<std::string, std::string> files;
    for (const auto& each : fs::recursive_directory_iterator(in(folder, ""))) {
      if (each.is_regular_file()) files[fs::relative(each.path(), in(folder, "")).string()] = bytes_of(each.path());
    }
    return files;
  }
  // The files that a call writes.
  std::vector<std::string> written_by(const std::string& command, const Way& way) {
    make_inputs("learn");
    const auto before = files_of("learn");
    const Result result = run_way("learn", command, way);
    EXPECT_EQ(result.code, 0) << command << ": " << result.err;
    std::vector<std::string> names;
    for (const auto& [name, bytes] : files_of("learn")) {
      if (!before.contains(name)) names.push_back(name);
    }
    fs::remove_all(in("learn", ""));
    return names;
  }
  // An input lies, under another name, where `name` would be written.
  void expect_refused_over(const std::string& command, const Way& way, const std::string& name) {
    const std::string what = command + " over " + name;
    make_inputs("again");
    fs::create_directories(fs::path(in("again", name)).parent_path());
    fs::create_hard_link(in("again", way.input), in("again", name));
    const auto before = files_of("again");
    const Result result = run_way("again", command, way);
    EXPECT_EQ(result.code, 2) << what << ": " << result.err;
    EXPECT_NE(result.err.find(fs::path(name).filename().string()), std::string::npos) << what << ": " << result.err;
    const bool says_why = result.err.find("is read here") != result.err.npos ||
                          result.err.find("is the list of phrases") != result.err.npos;
    EXPECT_TRUE(says_why) << what << ": " << result.err;
    EXPECT_EQ(files_of("again"), before) << what << ": nothing is written, nothing is lost";
    fs::remove_all(in("again", ""));
  }
};

TEST_F(OwnInputs, EveryCommandThatWritesHasARow) {
  const std::set<std::string> names = command_names();
  ASSERT_GE(names.size(), 20u);
  for (const std::string& name : names) {
    const std::string help = run_cli({name, "--help"}).out;
    for (const std::string option : {"--out", "--map-draft"}) {
      if (help.find("\n  " + option + " ") == std::string::npos) continue;
      const auto [first, last] = ways().equal_range(name);
      EXPECT_TRUE(std::any_of(first, last, [&](const auto& row) { return row.second.option == option; }))
          << name << " has " << option << ": a row here says how it is called";
    }
  }
}

TEST_F(OwnInputs, NoneOfThemReplacesWhatItHasRead) {
  for (const auto& [command, way] : ways()) {
    const std::vector<std::string> names = written_by(command, way);
    EXPECT_FALSE(names.empty()) << command;
    if (way.input.empty()) continue;
    // Of very many files the first, the last and some between.
    const std::size_t step = names.size() / 6 + 1;
    for (std::size_t k = 0; k < names.size(); k += step) expect_refused_over(command, way, names[k]);
    expect_refused_over(command, way, names.back());
  }
}

TEST_F(OwnInputs, AnArrayIsNotReplacedByTheStageOfItsName) {
  const std::vector<float> values = {1, 2, 3, 4};
  for (const char* name : {"query", "key", "value"}) write_array(name, {1, 1, 2, 2}, values);
  const std::string before = bytes_of(folder_ / "query.npy");
  expect_refused(cli({"run", "--query", "query.npy", "--key", "key.npy", "--value", "value.npy", "--scale-query", "2",
                      "--export", "all", "--format", "npy", "--out", "."}),
                 2, {"./query.npy", "is read here", "would be replaced"});
  EXPECT_EQ(bytes_of(folder_ / "query.npy"), before);
  EXPECT_FALSE(fs::exists(folder_ / "manifest.json"));
  EXPECT_FALSE(fs::exists(folder_ / "weights.npy"));
}

TEST_F(OwnInputs, TheListOnStandardInputIsAnInputToo) {
  folder_.write("before/list", "cat box\n");
  const std::string command = "cd '" + in("before", "") + "' && '" + HEADSCOPE_BINARY_DIR +
                              "/bin/headscope-cli' scan --model m --phrases - --out list < list 2> said";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 2);
  EXPECT_NE(bytes_of(in("before", "said")).find("list: is read here"), std::string::npos);
  EXPECT_EQ(bytes_of(in("before", "list")), "cat box\n");
}

}  // namespace
}  // namespace headscope
