"""English words of consent and refusal, as rows of (kind, patterns). How they are read: `polarity.py`, the only caller."""

Rows = tuple[tuple[str, tuple[str, ...]], ...]

_NOUN = (
    r"(?:order|booking|reservation|appointment|payment|purchase|request|transaction|transfer|tickets?|table|room|"
    r"flight|ride|meeting|quote|changes?)"
)
_IT = (
    r"(?:(?:all (?:of )?)?(?:it|this|that|them|these|those)|"
    rf"everything|(?:(?:the|my|this|that|our) (?:[a-z]+ )?)?{_NOUN})"
)
# They can be agreed to, not ordered: "order details".
_DETAILS = r"(?:(?:all (?:of )?)?(?:the )?(?:(?:above )?details?|above|information))"
_DO = (
    r"(?:go ahead|go for it|go on|do (?:it|that|this|so)|make it so|proceed|continue|carry on|book|reserve|order|"
    r"submit|confirm|buy|"
    rf"purchase(?! order)|approve|pay|check ?out(?! [a-z])|"
    rf"sign me up|lock it in|get it done|(?:place|finali[sz]e|complete|process|"
    rf"schedule|send|ship|pay for) {_IT}|put {_IT} (?:through|in))"
)
_GOOD = (
    r"(?:right|correct|good|great|fine|perfect|ok|okay|accurate|true|in order|all ?right|alright|excellent|lovely|"
    r"awesome|wonderful|fantastic)"
    r"(?: to go)?(?: (?:to|by|with|for) (?:me|us))?"
)
_HOW = (
    r"(?:(?:all|just|both|very|perfectly|really|absolutely|totally|pretty|quite|exactly|completely|entirely|indeed) )*"
)
_THAT = (
    r"(?:(?:yes )?(?:that|this|it|everything|all(?: of)? (?:it|that|this)|those|these|they)(?: all)?|"
    r"(?:all )?(?:of )?(?:the (?:[a-z]+ )?)?"
    r"(?:order|details?|info(?:rmation)?|summary|booking|above)(?: all)?)"
)
_PART = (
    r"(?:(?:the |my |our )?(?:[a-z]+ )?(?:address|total|price|time|date|numbers?|quantity|amount|items?|seats|term|plan|"
    r"name|phone|company)(?: and )?){1,3}"
)
_IS = r"(?:'?s| is|'?re| are)?(?: all)?(?: (?:looks?|looking|sounds?|sounding|seems?))?"
_WRONG = r"(?:wrong|incorrect|false|a mistake|not (?:right|correct|it|true|ok|okay|good|fine|accurate|what i [a-z]+))"
_MOMENT = r"(?: (?:a|one|just a) (?:sec|second|minute|min|moment|bit))"

EN: Rows = (
    (
        "doubt",
        (
            r"(?:that|it)(?:'?s| is) (?:all )?(?:ok|okay|fine|all ?right|alright)(?= thanks| thank you|"
            r" for now)",  # this declines an offer
            r"that(?:'?s| is) (?:all right|alright|ok|okay)",
            r"right now",
            r"i see|got it|yeah right(?= *$)",
        ),
    ),
    (
        "yes",
        (
            r"no (?:problems?(?: at all)?|objections?|doubt(?: about it)?)",
            r"(?:sure )?why not",
            r"yes+|yea?h|yah?|yea|ye[ps]|yup|yap|y|aye|yessir|uh huh|uhhuh|mhm|mm ?hmm|affirmative|roger(?: that)?|"
            r"indeed",
            r"ok(?:ay|ey|ie|i)?(?: dok(?:ie|ey|e|y))?|k|kk|okk+",
            r"(?:for )?sure(?: thing)?(?! not)|(?:certainly|definitely|absolutely|of course|totally|please do)(?! not)|"
            r"by all means|ofc",
            r"you (?:can|may|should)(?: (?:do (?:it|that|so)|go ahead))?(?! not)|be my guest|you bet|you got it|gladly|"
            r"with pleasure",
            r"all good|good to go|we(?:'?re| are) good to go|i(?:'?m| am) (?:sure|certain|positive|happy(?: with (?:it|"
            r"that|this))?|ready)",
            r"(?:i|we) (?:understand and |hereby |can |do |fully )*(?:confirm|agree|accept|approve|consent)(?: (?:to |"
            r"with )?(?:" + _IT + "|" + _DETAILS + r"))?(?: that)?(?= |$)",
            r"(?:i|we) (?:do|would|am|are)(?! not|n'?t)(?= *$)",
            r"(?:consider it )?confirm(?:ed|ing)|agreed?|approved|accept(?:ed)?|deal|granted|permission granted",
            r"exactly(?: right)?|precisely|correct|right|true|perfect(?:ly)?|all ?right|alright|fine(?: (?:by|"
            r"with) me)?|"
            r"spot on",
            r"(?:sounds?|looks?|seems?|looking|works?)(?: like a plan| for (?:me|us)| " + _HOW + _GOOD + ")",
            _THAT + r"(?:'?ll| will| would)? (?:works?|do|suits me)(?: (?:for (?:me|us)|great|fine|well|"
            r"perfectly))*",
            _THAT + r"(?:'?s| is) (?:exactly |just )?(?:what i (?:want(?:ed)?|need(?:ed)?|meant|asked for|said)|"
            r"the (?:one|plan))",
            _THAT + r"(?:'?ll| will| would| is going to) be " + _HOW + _GOOD,
            _THAT + _IS + " " + _HOW + _GOOD,
            r"(?:it|they|that|this) (?:is|are|does|do)(?! not|n'?t)(?= *$)",
            r"all (?:is |looks? |sounds? )?" + _GOOD,
        ),
    ),
    ("pad", (_PART + _IS + " " + _HOW + _GOOD,)),  # one part is right: that is not all of it
    (
        "no",
        (
            _THAT + r"(?:'?s| is| are| looks?| seems?| sounds?)? (?:all |still |just |completely |totally )?" + _WRONG,
            _THAT
            + r" (?:is|are|does|do)(?:n'?t| not)(?: (?:look |seem |sound )?(?:right|correct|true|ok|okay|good|fine|"
            r"accurate|it|what i [a-z]+))?",
            r"the (?:[a-z]+ ){1,2}(?:is|are|looks?) " + _WRONG,
            r"(?:oh |hell |heck )?no+(?: (?:way|sir|ma'?am|need|can do|thank you|thanks|chance|never(?! ?mind)))?|nope|"
            r"nah+|naw|nay|never(?! ?mind)|negative|n|uh uh",
            r"(?:absolutely |definitely |certainly |of course |probably |just |still |please )?not(?: (?:yet|now|today|"
            r"really|at all|at the moment|right now|"
            r"interested|for me|this time|so fast|correct|right|ok|okay|good|true|what i [a-z]+))+",
            r"(?:absolutely|definitely|certainly|of course|(?:i(?:'?d| would) )?rather|not) not",
            r"i(?:'?m| am) not (?:interested|ready|happy(?: with (?:it|that))?)(?: yet)?",
            r"i (?:don'?t|do not) (?:think so|agree|accept|consent|approve)(?: (?:to|with) (?:it|that|this))?",
            r"i (?:decline|refuse|reject|disagree|object)|declined?|rejected?|denied|disagree",
            r"never ?mind|forget (?:about )?(?:it|that)|maybe later|some other time|another time",
        ),
    ),
    (
        "halt",
        (
            _WRONG,
            r"(?:wait|hold on|hang on|hold it|hold off|hold up|stop|not so fast)" + _MOMENT + "?",
            r"(?:give me|just) (?:a|one) (?:sec|second|minute|min|moment)|one (?:sec|second|minute|moment)",
        ),
    ),
    (
        "neg",
        (
            r"don'?t(?: you dare)?|do not|not (?=to )|i (?:don'?t|do not|didn'?t|did not|won'?t|will not|can'?t|cannot)"
            r"(?: (?:want|need|like|wish)(?: (?:to|it|that|this|you to))?)?|i(?:'?d| would) rather(?: you)? (?:not|"
            r"didn'?t)",
        ),
    ),
    ("cancel", (r"(?:cancel|delete|remove|refund|return|abort|close|undo|terminate)(?: " + _IT + ")?",)),
    (
        "pad",
        (r"(?:please|kindly|pls|plz) (?:re)?confirm(?: it)?(?= *$)",),  # may ask us to: alone it orders nothing
    ),
    (
        "act",
        (
            r"(?:(?:i(?:'?d| would) (?:like|love)|i want|i(?:'?m| am) (?:ready|happy)|ready|happy|"
            r"feel free) (?:you )?to |i want to |let'?s |let us |you (?:can|may) )?"
            r"(?:now |just |please )*" + _DO + r"(?: (?:and|then|to) " + _DO + r")*(?: with)?(?: " + _IT + r")?(?: "
            r"(?:through|in|up|for me|for us|as is))?",
            r"(?:let'?s(?: (?:go|roll))?|go)(?= *$)|confirm(?: (?:that )?" + _IT + ")?",
        ),
    ),
    (
        "pad",
        (
            r"(?:many )?thank(?:s| you| u)?(?: (?:so|very) much| a lot| a bunch| again| in advance"
            r")*(?: for (?:your|the|all your) (?:help|time|patience))?"
            r"|thx|ty|cheers|much appreciated|(?:i )?appreciate it|please|pls|plz|kindly|sorry",
            r"oh|ah|well|um+|hm+|hey|hi|hello|now|then|(?:just|and)(?= )|great|cool|nice|awesome|excellent|wonderful|"
            r"lovely|good|super|fantastic|brilliant|amazing|"
            r"sweet|very well|already(?= *$)|to (?:all|everything)(?: of (?:it|that))?|for (?:me|us)|right away"
            r"|immediately|asap|straight away|my friend|sir|madam|"
            r"ma'?am|man|"
            r"mate|buddy|dude|actually|with (?:it|that|this)|yet|i think (?=(?:that|it|everything)(?:'?s| is| looks))",
        ),
    ),
)
