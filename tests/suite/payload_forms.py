"""Payloads and their canonical forms, by hand: data for `payloads.py`."""

RFC = "an example of RFC 8785"

SORTING = """{
  "\\u20ac": "Euro Sign", "\\r": "Carriage Return", "\\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
  "\\ud83d\\ude00": "Emoji: Grinning Face", "\\u0080": "Control", "\\u00f6": "Latin Small Letter O With Diaeresis"
}"""
SORTED = (
    '{"\\r":"Carriage Return","1":"One","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis",'
    '"\u20ac":"Euro Sign","\U0001f600":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}'
)
SCALARS = """{
  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
  "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
  "literals": [null, true, false]
}"""
SCALARS_WRITTEN = (
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
    '"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
)

# Name, why, payload, canonical form.
CANONICAL = [
    ("the members of the RFC are sorted by UTF-16 units", RFC, SORTING, SORTED),
    ("the scalars of the RFC", RFC, SCALARS, SCALARS_WRITTEN),
    (
        "the RFC's array within an object",
        RFC,
        '[ 56, {\n "d": true, "10": null, "1": [ ]} ]',
        '[56,{"1":[],"10":null,"d":true}]',
    ),
    (
        "names sort by units and not by code points",
        "an astral name comes before U+E000",
        '{"\ue000":1,"\U00010000":2}',
        '{"\U00010000":2,"\ue000":1}',
    ),
    (
        "names sort by their characters and not by their escapes",
        "a quote is less than a",
        '{"a":1,"\\"":2,"\\\\":3,"\\n":4}',
        '{"\\n":4,"\\"":2,"\\\\":3,"a":1}',
    ),
    ("a name sorts before one that it begins", "lengths decide last", '{"aa":1,"a":2,"":3}', '{"":3,"a":2,"aa":1}'),
    (
        "objects are sorted within sorted objects",
        "at each depth",
        '{"b":{"d":{"f":1,"e":2},"c":3},"a":[{"h":4,"g":5}]}',
        '{"a":[{"g":5,"h":4}],"b":{"c":3,"d":{"e":2,"f":1}}}',
    ),
    ("elements keep their order", "an array is a list", "[2,1,[4,3]]", "[2,1,[4,3]]"),
    ("white space goes", "all four kinds of it", ' \t\r\n{ "a" :\n[ 1 , 2 ] }\n', '{"a":[1,2]}'),
    (
        "each escape is one character",
        "of a letter or of digits",
        '"\\b\\t\\n\\f\\r\\"\\\\\\/\\u0041\\u00e9\\ud834\\udd1e"',
        '"\\b\\t\\n\\f\\r\\"\\\\/A\u00e9\U0001d11e"',
    ),
    (
        "control characters are escaped in lower case",
        "with four digits where no letter stands for it",
        '"\\u0000\\u001F\\u007f\\u000B"',
        '"\\u0000\\u001f\x7f\\u000b"',
    ),
    ("texts are not normalised", "NFC and NFD are two texts", '"e\\u0301"', '"e\u0301"'),
    ("a text alone is a value", "RFC 8259 has any value at the top", '"a"', '"a"'),
    ("null alone is a value", "RFC 8259 has any value at the top", " null ", "null"),
    ("an empty object is a value", "nothing was left out of it", "{}", "{}"),
    ("an empty array is a value", "nothing was left out of it", "[ ]", "[]"),
    ("an empty name is a name", "and an empty text a text", '{"":""}', '{"":""}'),
    ("128 arrays lie in one another", "the greatest depth", "[" * 128 + "]" * 128, "[" * 128 + "]" * 128),
    ("brackets within a text are no depth", "only structure counts", '"' + "[" * 300 + '"', '"' + "[" * 300 + '"'),
    ("noncharacters are characters", "they have a form in UTF-8", '"\\ufffe\\uffff"', '"\ufffe\uffff"'),
    ("a byte order mark within a text is a character", "only at the beginning it is refused", '"\ufeff"', '"\ufeff"'),
]

# RFC 8785, appendix B.
BITS = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "ffefffffffffffff": "-1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555554": "333333333.33333325",
    "41b3de4355555555": "333333333.3333333",
    "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
}

# Literal, canonical form, why.
NUMBERS = [
    ("-0", "0", "minus zero is zero"),
    ("-0.0e-5", "0", "minus zero is zero"),
    ("1.0", "1", "a whole number has no point"),
    ("100e-2", "1", "nor an exponent"),
    ("0.1e1", "1", "however it is written"),
    ("1E5", "100000", "up to 21 digits there is no exponent"),
    ("1e20", "100000000000000000000", "21 digits"),
    ("1e21", "1e+21", "22 digits"),
    ("123e-9", "1.23e-7", "six zeros behind the point are too many"),
    ("123e-8", "0.00000123", "five are not"),
    ("0.30000000000000004", "0.30000000000000004", "17 digits that are needed"),
    ("0.3000000000000000444", "0.30000000000000004", "and more, which are not"),
    ("0.1000000000000000055511151231257827", "0.1", "all digits of the double nearest to 0.1"),
    ("4.35", "4.35", "the fewest digits, not the exact value"),
    ("1.7976931348623158e308", "1.7976931348623157e+308", "still rounds to the largest double"),
    ("5e-324", "5e-324", "the least double"),
    ("3e-324", "5e-324", "rounds up to it"),
    ("2e-324", "0", "rounds to zero"),
    ("1e-400", "0", "far below"),
    ("-1e-400", "0", "minus zero is zero"),
    ("2.2250738585072011e-308", "2.225073858507201e-308", "the largest below normal size"),
    ("9007199254740991", "9007199254740991", "the largest safe integer, 2^53-1"),
    ("9007199254740992", "9007199254740992", "2^53 is a double"),
    ("9007199254740994", "9007199254740994", "so is 2^53+2"),
    ("9007199254740993.0", "9007199254740992", "a fraction is rounded, to the even one"),
    ("9007199254740993e0", "9007199254740992", "so is what has an exponent"),
    ("1180591620717411303424", "1.1805916207174113e+21", "2^70 is a double"),
    ("5.684341886080801486968994140625e-14", "5.684341886080802e-14", "2^-44: of two equally near the even one"),
    ("1" + "0" * 22, "1e+22", "the last power of ten that is a double"),
    ("1e23", "1e+23", "written as the fewest digits that round to it"),
    ("0." + "0" * 400 + "1e401", "1", "zeros and the exponent cancel out"),
    ("1" + "0" * 400 + "e-400", "1", "zeros and the exponent cancel out"),
]

BODY = '{"id":7,"meta":{"sent_at":"12:00","attempt":2},"items":[{"n":1,"at":5},{"n":2,"at":6}],"a/b":1,"m~n":2}'

# Name, why, payload, option, pointers, canonical form of what is left.
SELECTED = [
    (
        "ignore leaves out a member",
        "what differs between deliveries",
        BODY,
        "ignore",
        ["/meta"],
        '{"a/b":1,"id":7,"items":[{"at":5,"n":1},{"at":6,"n":2}],"m~n":2}',
    ),
    (
        "ignore leaves out a nested member",
        "and keeps what it lies in",
        '{"meta":{"sent_at":"12:00","attempt":2}}',
        "ignore",
        ["/meta/attempt"],
        '{"meta":{"sent_at":"12:00"}}',
    ),
    (
        "ignore may empty a nested object",
        "it stays, as it would be without the member",
        '{"id":7,"meta":{"attempt":2}}',
        "ignore",
        ["/meta/attempt"],
        '{"id":7,"meta":{}}',
    ),
    (
        "ignore leaves out two members",
        "each pointer by itself",
        '{"c":3,"b":2,"a":1}',
        "ignore",
        ["/b", "/a"],
        '{"c":3}',
    ),
    (
        "ignore of what is not there does nothing",
        "a member may be missing",
        '{"b":1,"a":2}',
        "ignore",
        ["/c", "/a/x", "/b/0"],
        '{"a":2,"b":1}',
    ),
    (
        "ignore reaches through arrays by index",
        "as JSON Pointers do",
        '{"items":[{"n":1,"at":5},{"n":2,"at":6}]}',
        "ignore",
        ["/items/0/at", "/items/1/at"],
        '{"items":[{"n":1},{"n":2}]}',
    ),
    (
        "ignore leaves out an element",
        "the others keep the indices that they had",
        "[1,2,3,4]",
        "ignore",
        ["/0", "/2"],
        "[2,4]",
    ),
    ("an index has no leading zero", "RFC 6901", "[1,2]", "ignore", ["/00", "/01", "/-", "/+1", "/2"], "[1,2]"),
    (
        "a name of digits is a name in an object",
        "only in an array it is an index",
        '{"0":1,"1":2}',
        "ignore",
        ["/0"],
        '{"1":2}',
    ),
    ("a slash in a name is written ~1", "RFC 6901", '{"a/b":1,"a":{"b":2}}', "ignore", ["/a~1b"], '{"a":{"b":2}}'),
    ("a tilde in a name is written ~0", "RFC 6901", '{"m~n":1,"~1":2,"/":3}', "ignore", ["/m~0n", "/~01"], '{"/":3}'),
    ("an empty name has a pointer too", "RFC 6901", '{"":1,"a":{"":2}}', "ignore", ["/"], '{"a":{"":2}}'),
    (
        "an escaped name matches",
        "names are compared by their characters",
        '{"\\u0061":1,"\\ud83d\\ude00":2,"c":3}',
        "ignore",
        ["/a", "/\U0001f600"],
        '{"c":3}',
    ),
    (
        "a name is not matched by its beginning",
        "whole names only",
        '{"ab":1,"a":2,"abc":3}',
        "ignore",
        ["/ab"],
        '{"a":2,"abc":3}',
    ),
    ("an empty ignore leaves out nothing", "no pointer is no change", '{"b":1,"a":2}', "ignore", [], '{"a":2,"b":1}'),
    (
        "ignore of a member and of something in it",
        "the shorter pointer has it all",
        '{"a":{"b":1},"c":2}',
        "ignore",
        ["/a/b", "/a"],
        '{"c":2}',
    ),
    ("only keeps a member", "what identifies the event", BODY, "only", ["/id"], '{"id":7}'),
    (
        "only keeps what a member lies in",
        "and nothing beside it",
        BODY,
        "only",
        ["/meta/attempt", "/id"],
        '{"id":7,"meta":{"attempt":2}}',
    ),
    ("only keeps elements", "in their order", BODY, "only", ["/items/1/n"], '{"items":[{"n":2}]}'),
    (
        "only keeps whole values",
        "with all that is in them, in order",
        '{"a":{"c":1,"b":[{"e":1,"d":2}]},"f":1}',
        "only",
        ["/a"],
        '{"a":{"b":[{"d":2,"e":1}],"c":1}}',
    ),
    (
        "only does not miss some of its members",
        "unless it finds none",
        '{"id":7,"b":1}',
        "only",
        ["/id", "/type"],
        '{"id":7}',
    ),
    (
        "only keeps nothing of what has nothing",
        "an object in which nothing was named goes",
        '{"id":7,"meta":{"x":1},"items":[{}]}',
        "only",
        ["/id", "/meta/y", "/items/0/n"],
        '{"id":7}',
    ),
    ("only keeps an empty object that it names", "it is a value", '{"a":{},"b":1}', "only", ["/a"], '{"a":{}}'),
    (
        "only of a member and of something in it",
        "the shorter pointer has it all",
        '{"a":{"b":1,"c":2}}',
        "only",
        ["/a/b", "/a"],
        '{"a":{"b":1,"c":2}}',
    ),
]
