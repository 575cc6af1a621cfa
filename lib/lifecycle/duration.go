package lifecycle

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// duration is what both kapp (time.ParseDuration) and we read; the least unit of a Job's deadline is a second.
var (
	duration = regexp.MustCompile(`^([0-9]+h)?([0-9]+m)?([0-9]+s)?$`)
	// noTime matches those that are of no length.
	noTime = regexp.MustCompile(`^[0hms]*$`)
)

func isDuration(text string) bool {
	if !duration.MatchString(text) || noTime.MatchString(text) {
		return false
	}
	_, err := time.ParseDuration(text)
	return err == nil
}

// part is one number and unit of what people write for a duration.
var part = regexp.MustCompile(`^([0-9]{1,6}(?:\.[0-9]{1,6})?)(weeks?|w|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)`)

// secondsOf gives the seconds of a unit by its first letter.
var secondsOf = map[byte]float64{'w': 7 * 24 * 3600, 'd': 24 * 3600, 'h': 3600, 'm': 60, 's': 1}

var bare = regexp.MustCompile(`^[0-9]+$`)

// durationFix says how a duration is written that somebody wrote in another way.
func durationFix(text string) string {
	general := "write hours, minutes and seconds, such as 90s, 5m or 1h30m"
	switch {
	case noTime.MatchString(text) && text != "":
		return "write more than nothing, such as 90s, 5m or 1h30m"
	case bare.MatchString(text):
		return "write " + text + "s for seconds, or " + text + "m for minutes"
	case len(text) > 64:
		return general
	case duration.MatchString(text) && text != "":
		return "write a shorter one, such as 168h"
	}
	rest := strings.ToLower(strings.Join(strings.Fields(text), ""))
	total := 0.0
	for rest != "" {
		found := part.FindStringSubmatch(rest)
		if found == nil {
			return general
		}
		number, _ := strconv.ParseFloat(found[1], 64)
		total += number * secondsOf[found[2][0]]
		rest = rest[len(found[0]):]
	}
	if total != math.Trunc(total) || total == 0 {
		return general
	}
	return "write " + spelt(int64(total))
}

// spelt gives seconds as a duration.
func spelt(seconds int64) string {
	text := ""
	for _, unit := range []struct {
		seconds int64
		letter  string
	}{{3600, "h"}, {60, "m"}, {1, "s"}} {
		if number := seconds / unit.seconds; number > 0 {
			text += strconv.FormatInt(number, 10) + unit.letter
		}
		seconds %= unit.seconds
	}
	return text
}
