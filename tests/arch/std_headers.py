"""Every name of the standard library has its header: in the file that uses it, or in a header of the tree that it includes.

    python3 tests/arch/std_headers.py ROOT

What a header of one standard library includes by the way, another version of it does not: a file that relies on that
compiles on one distribution and not on the next, and precompiled headers and files compiled as one hide it.
"""
import re
import sys

from sources import Tree

HEADERS = {
    "algorithm": "adjacent_find all_of any_of binary_search clamp copy copy_backward copy_if copy_n count count_if equal "
                 "equal_range fill fill_n find find_end find_first_of find_if find_if_not for_each generate generate_n includes "
                 "is_permutation is_sorted lexicographical_compare lower_bound make_heap max max_element merge min "
                 "min_element minmax minmax_element mismatch none_of nth_element partial_sort partition pop_heap push_heap "
                 "remove_if replace replace_if reverse rotate sample search set_difference set_intersection set_union shuffle "
                 "sort sort_heap stable_partition stable_sort swap_ranges transform unique upper_bound",
    "array": "array to_array",
    "atomic": "atomic atomic_bool atomic_flag atomic_int memory_order_acquire memory_order_relaxed memory_order_release",
    "bit": "bit_cast bit_ceil bit_floor bit_width countl_zero countr_zero endian has_single_bit popcount rotl rotr",
    "cctype": "isalnum isalpha isdigit islower isprint ispunct isspace isupper isxdigit tolower toupper",
    "charconv": "from_chars to_chars",
    "cmath": "acos asin atan atan2 cbrt ceil copysign cos cosh erf exp exp2 expm1 fabs floor fma fmax fmin fmod fpclassify "
             "frexp hypot ilogb isfinite isinf isnan isnormal ldexp lgamma llround log log10 log1p log2 lrint lround modf "
             "nearbyint nextafter pow rint round scalbn signbit sin sinh sqrt tan tanh tgamma trunc",
    "condition_variable": "condition_variable condition_variable_any",
    "cstdint": "int16_t int32_t int64_t int8_t intptr_t uint16_t uint32_t uint64_t uint8_t uintptr_t",
    "cstdio": "FILE fclose fflush fopen fprintf fputs fread fwrite printf puts remove rename snprintf",
    "cstdlib": "abort atof atoi calloc exit free getenv malloc quick_exit realloc setenv strtod strtof strtol strtoll strtoull system",
    "cstring": "memchr memcmp memcpy memmove memset strchr strcmp strcpy strerror strlen strncmp strrchr strstr",
    "deque": "deque",
    "filesystem": "filesystem",
    "fstream": "filebuf fstream ifstream ofstream",
    "functional": "bind_front function greater invoke less mem_fn not_fn plus ref reference_wrapper",
    "future": "async future promise",
    "iostream": "cerr cin clog cout",
    "iterator": "back_inserter distance inserter istreambuf_iterator istream_iterator make_move_iterator ostream_iterator",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": "addressof enable_shared_from_this make_shared make_unique shared_ptr unique_ptr weak_ptr",
    "mutex": "call_once lock_guard mutex once_flag recursive_mutex scoped_lock try_to_lock unique_lock",
    "numbers": "numbers",
    "numeric": "accumulate exclusive_scan gcd inclusive_scan inner_product iota lcm midpoint partial_sum reduce",
    "optional": "make_optional nullopt nullopt_t optional",
    "queue": "priority_queue queue",
    "random": "mt19937 mt19937_64 normal_distribution random_device uniform_int_distribution uniform_real_distribution",
    "regex": "regex regex_match regex_replace regex_search smatch",
    "set": "multiset set",
    "shared_mutex": "shared_lock shared_mutex",
    "span": "span",
    "sstream": "istringstream ostringstream stringbuf stringstream",
    "stdexcept": "domain_error invalid_argument length_error logic_error out_of_range runtime_error",
    "string": "getline stod stof stoi stol stoll stoull string to_string",
    "string_view": "string_view",
    "thread": "this_thread thread",
    "tuple": "forward_as_tuple make_tuple tie tuple",
    "unordered_map": "unordered_map",
    "unordered_set": "unordered_set",
    "variant": "get_if holds_alternative variant visit",
    "vector": "vector",
}
OF_NAME = {name: header for header, names in HEADERS.items() for name in names.split()}
# A standard header that has to declare what another one does too.
ALSO = {"string": {"string_view"}, "sstream": {"string"}, "iostream": {"string"}, "fstream": {"string"}, "regex": {"string"}}
OTHER_HEADERS = {"string_view": {"string"}, "cstdlib": {"stdlib.h"}, "cstdio": {"stdio.h"}, "cstring": {"string.h"}}
USE = re.compile(r"(?<![\w:])std::(\w+)")
# Names with several homes (std::move, std::swap, std::size_t) are in no row.


def headers_seen(tree, path):
    """Standard headers that a file includes, itself or by headers of the tree."""
    found = set().union(*(tree.includes(file)[1] for file in tree.reached(path)))
    return found.union(*(ALSO.get(header, ()) for header in found))


def missing(tree, path):
    """header -> the first name that needs it, for the headers that a file lacks."""
    seen = headers_seen(tree, path)
    lacking = {}
    for name in USE.findall(tree.code(path)):
        header = OF_NAME.get(name)
        if header and header not in seen and not OTHER_HEADERS.get(header, set()) & seen:
            lacking.setdefault(header, name)
    return lacking


def main(root):
    tree, count = Tree(root), 0
    for path in tree.files():
        for header, name in sorted(missing(tree, path).items()):
            print(f"{path}: std::{name} needs #include <{header}>")
            count += 1
    print(f"{len(list(tree.files()))} files, {count} headers missing")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
