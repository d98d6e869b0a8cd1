// Numbers in the cells of one picture, on screen, in files and in tables of the command line: one unit of the last
// digit for all of them, so that both sides of zero have the same digits.
#pragma once

#include <string>

namespace headscope {

// The numbers that the cells of a picture hold: from the least to the largest, 0 included.
struct CellValues {
  double low = 0, high = 0;
  // Weights are numbers from 0 to 1, whatever the largest of them is, and 1.00 is written "1".
  bool weights = false;

  // Widens the range to a number; what is not finite has no digits.
  void add(double value);
};

enum class NumberLook {
  picture,   // ".05", "−.05"
  terminal,  // "0.0512", "-0.0512": two digits more than in pictures
};

// The letters that a cell holds side by side, in the size that suits it and in the smallest that can be read.
struct CellRoom {
  int letters = 0, small_letters = 0;
  NumberLook look = NumberLook::picture;
};

// How the numbers of one picture are written. A number below half a unit of the last digit is left blank.
struct CellNumbers {
  int decimals = 2;     // the unit of the last digit is 10^-decimals; below 0 in tens, hundreds ...
  bool powers = false;  // as a count of units: "5e−4"
  bool small = false;   // whether they need the small letters
  bool weights = false;
  int letters = 0;  // of the longest; 0: no number has room, and none is written
  NumberLook look = NumberLook::picture;

  // The unit of the last digit.
  double unit() const;
};

// The most digits with which all numbers of a picture fit into its cells: at most two decimals, of small numbers as
// many as give the largest two digits. Digits that would call the largest 0, or a unit that is more than it, are not
// taken: there is no number then.
CellNumbers cell_numbers(const CellValues& values, const CellRoom& room);

// Weights where nothing limits the room: two decimals.
CellNumbers weight_numbers();

// ".05", "−.05", "12.4", "5e−4"; "" for a number that is left blank, is not finite, or is wider than the numbers for
// which the digits were chosen.
std::string cell_number(const CellNumbers& numbers, double value);

// What a legend says of cells without a number.
inline constexpr const char* kBlankWords = "blank: below half a unit of the last digit";

// "-0.50" as pictures write it: "−.5" with `trim`, "−.50" without; "-0" is "0".
std::string styled_digits(std::string digits, bool trim);

// How many letters a number has; U+2212 is one.
int letters_of(const std::string& number);

}  // namespace headscope
