#include "core/worksheet/sheet_tasks.h"

#include <fmt/format.h>

#include <optional>
#include <string>

namespace headscope {

namespace {

// A number of a task: its value, and the cell that prints it where one does.
struct Operand {
  Decimal value;
  std::optional<SheetCell> cell;
};

class TaskWriter {
 public:
  TaskWriter(const WorksheetSpec& spec, const HandSheet& sheet)
      : spec_(spec), sheet_(sheet), words_(word_names(spec)) {}

  SheetTask task(const SheetCell& cell) const {
    SheetTask task{sheet_.letter(cell).value_or('?'), cell, place(cell), {}, {}, sheet_.value(cell)};
    switch (cell.stage) {
      case SheetStage::raw_scores:
        write_product(given(head(cell).query[row(cell)]), given(head(cell).key[column(cell)]), task);
        break;
      case SheetStage::scores:
        write_scaled(cell, task);
        break;
      case SheetStage::exp:
        write_power(cell, task);
        break;
      case SheetStage::sum:
        write_sum(cell, task);
        break;
      case SheetStage::weights:
        write_share(cell, task);
        break;
      case SheetStage::context:
        write_product(row_of(SheetStage::weights, cell.head, cell.row), given(column_of(head(cell).value, cell)), task);
        break;
      case SheetStage::output:
        write_product(concat_of(cell.row), given(column_of(sheet_.output_weights, cell)), task);
        break;
    }
    return task;
  }

 private:
  static std::size_t row(const SheetCell& cell) { return static_cast<std::size_t>(cell.row); }
  static std::size_t column(const SheetCell& cell) { return static_cast<std::size_t>(cell.column); }
  const SheetHead& head(const SheetCell& cell) const { return sheet_.heads[static_cast<std::size_t>(cell.head)]; }
  const std::string& word(int at) const { return words_[static_cast<std::size_t>(at)]; }

  static std::vector<Operand> given(const std::vector<Decimal>& numbers) {
    std::vector<Operand> operands;
    for (const Decimal number : numbers) operands.push_back({number, std::nullopt});
    return operands;
  }

  static std::vector<Decimal> column_of(const DecimalGrid& grid, const SheetCell& cell) {
    std::vector<Decimal> numbers;
    for (const std::vector<Decimal>& line : grid) numbers.push_back(line[column(cell)]);
    return numbers;
  }

  Operand printed(const SheetCell& cell) const { return {sheet_.value(cell), cell}; }

  // A row over the keys. What is hidden is printed as 0.
  std::vector<Operand> row_of(SheetStage stage, int of_head, int of_row) const {
    std::vector<Operand> operands;
    for (int j = 0; j < spec_.length(); ++j) operands.push_back(printed({stage, of_head, of_row, j}));
    return operands;
  }

  std::vector<Operand> concat_of(int of_row) const {
    std::vector<Operand> operands;
    for (int d = 0; d < spec_.d_model; ++d) {
      operands.push_back(printed({SheetStage::context, d / spec_.head_dim(), of_row, d % spec_.head_dim()}));
    }
    return operands;
  }

  std::string shown(const Operand& operand) const {
    const std::optional<char> letter = operand.cell ? sheet_.letter(*operand.cell) : std::nullopt;
    return letter ? std::string(1, *letter) : printed_text(operand.value);
  }

  // In brackets where a minus would stand behind a sign.
  static std::string behind_sign(Decimal number) {
    return number.units < 0 ? fmt::format("({})", printed_text(number)) : printed_text(number);
  }

  std::string vector_text(const std::vector<Operand>& operands) const {
    std::string text;
    for (const Operand& operand : operands) text += (text.empty() ? "" : ", ") + shown(operand);
    return fmt::format("({})", text);
  }

  void write_product(const std::vector<Operand>& a, const std::vector<Operand>& b, SheetTask& task) const {
    task.operands = vector_text(a) + " · " + vector_text(b);
    for (std::size_t k = 0; k < a.size(); ++k) {
      const std::string first = k == 0 ? printed_text(a[k].value) : behind_sign(a[k].value);
      task.calculation += (k == 0 ? "" : " + ") + first + " × " + behind_sign(b[k].value);
    }
  }

  void write_scaled(const SheetCell& cell, SheetTask& task) const {
    const Operand raw = printed({SheetStage::raw_scores, cell.head, cell.row, cell.column});
    task.operands = shown(raw) + " × " + printed_text(sheet_.scale);
    task.calculation = printed_text(raw.value) + " × " + printed_text(sheet_.scale);
  }

  void write_power(const SheetCell& cell, SheetTask& task) const {
    const Operand score = printed({SheetStage::scores, cell.head, cell.row, cell.column});
    task.operands = "e^(" + shown(score) + ")";
    task.calculation = "e^(" + printed_text(score.value) + ")";
  }

  void write_sum(const SheetCell& cell, SheetTask& task) const {
    for (int j = 0; j < spec_.length(); ++j) {
      if (is_hidden(spec_, cell.row, j)) continue;
      const Operand power = printed({SheetStage::exp, cell.head, cell.row, j});
      task.operands += (j == 0 ? "" : " + ") + shown(power);
      task.calculation += (j == 0 ? "" : " + ") + printed_text(power.value);
    }
  }

  void write_share(const SheetCell& cell, SheetTask& task) const {
    const Operand power = printed({SheetStage::exp, cell.head, cell.row, cell.column});
    const Operand sum = printed({SheetStage::sum, cell.head, cell.row, 0});
    task.operands = shown(power) + " / " + shown(sum);
    task.calculation = printed_text(power.value) + " / " + printed_text(sum.value);
  }

  std::string place(const SheetCell& cell) const {
    const std::string of_head = spec_.heads > 1 ? fmt::format(", head {}", cell.head) : "";
    const std::string pair = cell.stage <= SheetStage::weights && cell.stage != SheetStage::sum
                                 ? fmt::format("{} → {}", word(cell.row), word(cell.column))
                                 : word(cell.row);
    switch (cell.stage) {
      case SheetStage::raw_scores:
        return fmt::format("query · key{}: {}", of_head, pair);
      case SheetStage::scores:
        return fmt::format("score{}: {}", of_head, pair);
      case SheetStage::exp:
        return fmt::format("e^score{}: {}", of_head, pair);
      case SheetStage::sum:
        return fmt::format("sum{}: {}", of_head, pair);
      case SheetStage::weights:
        return fmt::format("weight{}: {}", of_head, pair);
      case SheetStage::context:
        return fmt::format("context{}: {}, feature {}", of_head, pair, cell.column);
      case SheetStage::output:
        return fmt::format("output: {}, feature {}", pair, cell.column);
    }
    return "";
  }

  const WorksheetSpec& spec_;
  const HandSheet& sheet_;
  const std::vector<std::string> words_;
};

}  // namespace

std::vector<SheetTask> tasks_of(const WorksheetSpec& spec, const HandSheet& sheet) {
  const TaskWriter writer(spec, sheet);
  std::vector<SheetTask> tasks;
  for (const SheetCell& cell : sheet.blanks) tasks.push_back(writer.task(cell));
  return tasks;
}

}  // namespace headscope
