/**
 * Finds the numbers in prose and says what number words mean, so that tests can check every number in a lesson against
 * the core. Names, dates and versions don't count.
 */

const SMALL =
	"two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
		" ",
	);
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const LARGE: Readonly<Record<string, number>> = { hundred: 100, thousand: 1000, million: 1e6 };
/** Parts of a whole; "third" is also an ordinal. */
const PARTS: Readonly<Record<string, number>> = {
	half: 2,
	halves: 2,
	third: 3,
	thirds: 3,
	quarter: 4,
	quarters: 4,
	fifth: 5,
	fifths: 5,
	sixth: 6,
	eighth: 8,
	sixteenth: 16,
};
const TIMES: Readonly<Record<string, number>> = { once: 1, twice: 2, double: 2 };

const WORDS = [SMALL, TENS, Object.keys(LARGE), Object.keys(PARTS), "twice", "double", "dozen"];
const NUMBER = new RegExp(
	`(?<![\\w.,/-])\\d[\\d,]*(?:\\.\\d+)*(?![\\w])|\\b(?:${WORDS.flat().join("|")})\\b`,
	"gi",
);

const MONTH =
	"(January|February|March|April|May|June|July|August|September|October|November|December)";
/** Matches what looks like a number but is a name, a date or a version. */
const NAMES: readonly RegExp[] = [
	/\b(?:CPUs?|nodes?|slabs?|page|order|object|event|version|seed)\s\d+(?:(?:,| and| to) \d+)*\b/gi,
	/\b(?:19|20)\d\d\b/g,
	/\b2\.6\.\d+\b/g,
	/\b[3-7]\.\d+\b(?! times| per cent|%)/g,
	new RegExp(`\\b\\d{1,2} ${MONTH}\\b`, "g"),
	/\[[A-Za-z0-9]+ \d+\/\d+\]/g,
	/\bArticles\/\d+/g,
	/\bpowers? of two\b|\bbase 2\b|\b[\d,]+-byte\b/g,
	/\bhalf[- ](?:used|empty)\b|\bsecond\*? half\b|\bno two\b/g,
	/\bthe (?:first|last|other) two\b|\bthe third\b|\ba third one\b/gi,
];

export interface FoundNumber {
	readonly words: string;
	/** The number together with the words around it. */
	readonly around: string;
}

const AROUND = 40;

export function numbersIn(text: string): FoundNumber[] {
	const named = NAMES.flatMap((pattern) =>
		[...text.matchAll(pattern)].map((m) => [m.index, m.index + m[0].length] as const),
	);
	return [...text.matchAll(NUMBER)]
		.filter(({ index }) => !named.some(([from, to]) => from <= index && index < to))
		.map(({ 0: words, index }) => ({
			words,
			around: text.slice(Math.max(0, index - AROUND), index + words.length + AROUND),
		}));
}

/** Returns what a word or a number in digits stands for; undefined if it is neither. */
function wordValue(word: string): number | undefined {
	if (/^\d[\d,]*(\.\d+)?$/.test(word)) return Number(word.replaceAll(",", ""));
	const small = SMALL.indexOf(word);
	if (small >= 0) return small + 2;
	const tens = TENS.indexOf(word);
	return tens >= 0 ? (tens + 2) * 10 : TIMES[word];
}

/** "a hundred and sixty" is 160, "two fifths" 0.4, "nine times" 9; parts alone are fractions: "a third" is 1/3;
 * "4 KiB" is 4096. */
export function meaningOf(words: string): number {
	if (/^(none|not a single one)$/i.test(words)) return 0;
	let whole = 0;
	let last = 0;
	for (const word of words.toLowerCase().split(/[\s-]+/)) {
		const value = wordValue(word);
		if (value !== undefined) last += value;
		else if (word in LARGE) last = (last || 1) * (LARGE[word] ?? 1);
		if (word !== "and") continue;
		whole += last;
		last = 0;
	}
	const unit = /\bKiB\b/.test(words) ? 1024 : 1;
	return ((whole + last || 1) / (partIn(words) ?? 1)) * unit;
}

function partIn(words: string): number | undefined {
	const part = words
		.toLowerCase()
		.split(/[\s-]+/)
		.find((word) => word in PARTS);
	return part === undefined ? undefined : PARTS[part];
}

/** Says what words like "fewer" do to a share or a ratio. */
function shareSaid(words: string, value: number): number {
	const share = /\b(fewer|less)\b/.test(words) && value < 1 ? 1 - value : value;
	const more = /\bmore\b/.test(words) && value > 1 ? value - 1 : share;
	return /per cent/.test(words) ? more * 100 : more;
}

/** Whether the words may stand for the value: whole numbers as they round, parts as near as the next simpler one. */
export function means(words: string, value: number): boolean {
	const is = shareSaid(words, value);
	const said = meaningOf(words);
	if (Number.isInteger(is) && is === partIn(words)) return true;
	const rough = /\b(some|about|nearly|almost)\b/i.test(words) ? 0.1 * is : 0;
	if (Number.isInteger(is) && Number.isInteger(said)) return Math.abs(said - is) <= rough;
	return Math.abs(said - is) <= (said < 1 ? 0.05 : Math.max(0.5, rough));
}
