"""English words of leaving, closing and courtesy. What kinds and rows mean: `exit_words.py`, the only caller."""

Rows = tuple[tuple[str, tuple[str, ...]], ...]

_I = r"(?:i(?:'?m| am)|we(?:'?re| are))"
_ILL = r"(?:(?:i|we)(?:'?ll| will| am going to|'?m going to|'?m gonna|'?d better| better| shall)|i'?mma|ill)"
_MUST = (
    r"(?:(?:i|we)(?:'?ve)? )?(?:have to|got to|gotta|got ta|need to|must|should(?: probably)?|better|had better|"
    r"ought to|'?d better)"
)
_NICE = (
    r"(?:nice|good|great|lovely|fun|pleasant|wonderful|awesome|enjoyable|delightful|amazing|fantastic|cool|"
    r"a (?:real |great |true )?pleasure|"
    r"(?:a )?pleasure|a (?:real )?delight|an honou?r|a joy)"
)
_TALKING = (
    r"(?:(?:to (?:be able to |have )?)?(?:met|talked|chatted|talk|talking|chat|chatting|speak|speaking|meet|meeting|"
    r"see|seeing|catch(?:ing)? up|convers\w+|work\w*|doing business|"
    r"connect\w*|know|hear\w*|visit\w*|hang\w*(?: out)?)(?: (?:to|with|from))?(?: (?:you|u|ya))?|"
    r"doing business with you)"
)
_WHEN = (
    r"(?: (?:later|soon|around|again|then|tomorrow|tonight|next (?:time|week|month|year)|some ?(?:other )?time|"
    r"another time|"
    r"in (?:a|an|the|\w+) (?:few |couple of )?(?:days?|hours?|minutes?|weeks?|bit|while|morning|evening|afternoon|"
    r"months?)|"
    r"on (?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|tues|wednes|thurs|fri|satur|sun)day|real|very|now|for now|"
    r"the next time|"
    r"alligator|gator|next|in the morning|when i \w+|at \w+))*"
)
_FOR_NOW = r"(?: (?:for )?(?:now|today|the day|tonight|the moment|good|then))*"
_CHAT = (
    r"(?:this |the |our )?(?:chat|call|conversation|session|talk|discussion|dialog(?:ue)?|phone call|communication|"
    r"chatting|meeting)"
)
_NEEDED = (
    r"(?: (?:that )?(?:i|we) (?:really |just )?(?:need|needed|wanted|want|have|had|require|required|asked for|"
    r"was looking for|am looking for|"
    r"wanted to know|needed to know|had to ask|wished))?(?: (?:to (?:know|ask|hear|do|say|check)|help with|from you|"
    r"done))?"
)

EN: Rows = (
    (
        "bye",
        (
            r"(?:good ?)?bye+(?: ?(?:good ?)?bye)*(?: (?:now|for now|for today|for the day|for tonight|then|all|"
            r"everyone|"
            r"again))*|bubye|bye ?byes?|g ?bye|cya|byeee*",
            r"(?:" + _ILL + r" |i hope to |hope to |looking forward to |be )?(?:see|seeing|c|catch|talk|talking|speak|"
            r"chat|meet)(?: (?:to|with))?"
            r"(?: (?:you|u|ya|y'?all|you guys))(?! then)" + _WHEN,
            r"(?:"
            + _ILL
            + r" )?(?:see|talk|speak|chat)(?: (?:soon|later|again|tomorrow))+|i bid you (?:farewell|adieu|"
            r"good ?bye)|ttyl|l8r|laters?(?: (?:alligator|gator|then|dude|man))?|so long|farewell|"
            r"fair ?well|adieu|adios(?: amigo)?|ciao|sayonara|au revoir|hasta(?: la vista| luego)?|arrivederci|tschuss|"
            r"auf wiedersehen|ta ?ta|toodles|"
            r"toodle ?oo|cheerio|peace(?: out)?|over and out|godspeed|so long|good ?night|night(?: night)?|"
            r"nighty night",
            r"(?:until|till|til)(?: (?:then|next time|we (?:meet|talk|speak|chat)(?: again)?|later|tomorrow|"
            r"the next time|again))+",
            r"(?:you )?(?:have|enjoy|hope you have) (?:yourself )?(?:a|an|your|the)(?: (?:very|really|"
            r"most))?(?: (?:good|"
            r"great|nice|lovely|wonderful|"
            r"fantastic|pleasant|awesome|blessed|amazing|excellent|super|fine|beautiful|safe|happy))*(?: (?:day|one|"
            r"evening|night|weekend|afternoon|"
            r"morning|time|week|rest of (?:your|the) \w+))(?: (?:ahead|too))?",
            r"(?:you )?take (?:it easy|care)(?: of yourself)?|be well|stay safe|all the best|best wishes|"
            r"good day(?: to you)?|keep well|"
            r"have a good one",
            r"(?:" + _MUST + r"|(?:it'?s |its )?(?:about )?time (?:for me )?to|" + _ILL + r"(?: just)?(?: have to|"
            r" need to)?(?: be)?|" + _I + r"(?: just)?(?: going to)?|let me|gonna)"
            r"(?: (?:now|really|just|probably))*(?: (?:go|get going|going|run|running|leave|leaving|"
            r"head(?:ing)? (?:out|"
            r"off|home)|be (?:going|off|leaving)|"
            r"dash|bounce|jet|split|scram|hang(?:ing)? up|log(?:ging)? (?:off|out)|sign(?:ing)? (?:off|out)|off|"
            r"out of here|outta here|be on my way|"
            r"on my way|end (?:this|it) here|let you go|off to (?:bed|work|sleep|school|lunch|dinner)|go to (?:bed|"
            r"work|"
            r"sleep)|say (?:good ?)?bye|bid you (?:farewell|adieu)|take off|taking off|get off))"
            r"(?: (?:now|then|today|for now|right now|here))*(?= *$| (?:and|but|thanks?|thank|bye|goodbye|see|nice|"
            r"talk|"
            r"it was|though|so)\b)",
            r"(?:i hope (?:we|to) |hope (?:we|to) |let'?s )(?:can )?(?:talk|chat|speak|see|meet|do this)(?: (?:to|"
            r"with))?(?: you)?(?: (?:again|soon|later|real))+",
            r"(?:it|this|that)?(?:'?s| is|'?s been| was| has been| were)?(?: ?(?:always|so|really|very|been|a|such|"
            r"truly|"
            r"quite|absolutely))*"
            r" ?" + _NICE + r" " + _TALKING + r"(?: (?:you|today|again|this evening|with you|to you|for a bit|now|"
            r"as always))*",
            r"it(?:'?s| has| was) ?(?:been )?(?:a |an |very |really |so )*(?:real |great |absolute )?(?:pleasure|fun|"
            r"blast|delight|joy)",
            r"(?:i|we)(?:'?ve)? (?:have |had |really |so |truly |quite )*(?:enjoy(?:ed)?|loved?|like[sd]?|"
            r"had (?:a )?(?:pleasure|fun|good time|great time|nice time|blast|"
            r"lovely time)|a (?:pleasure|good time)|pleasure) (?:(?:our|this|the|your) (?:chat|conversation|talk|time|"
            r"company|discussion)|" + _TALKING + r")"
            r"(?: (?:today|again|together))*",
            _NICE + r" (?:chat|talk|conversation|convo|discussion)(?: with you)?",
            r"(?:please |just |let'?s |i(?:'?d| would) like to |i want to |can we |we can )*(?:end|finish|close|stop|"
            r"terminate|exit|leave|conclude|quit)(?: with)? " + _CHAT + r"(?: (?:now|here|please))*",
            r"(?:this|the|our) (?:chat|call|conversation|session) (?:is|can be|has) (?:over|done|finished|ended|"
            r"closed)",
            r"(?:we|i)(?:'?re|'?m| are| am) (?:all )?(?:done|finished)(?: (?:here|talking|chatting|with (?:this|the|"
            r"our) (?:chat|call|conversation)|then|for (?:today|now|the day)|"
            r"talking (?:to|with) you|with you|with (?:this|it)))+|hang up(?: now)?(?=$)|(?:i see )?we(?:'?re|"
            r" are) done",
            r"(?:let'?s |lets |i(?:'?ll| will) |we can |(?:i(?:'?m| am) )?(?:going to |"
            r"gonna ))?(?:just )?(?:call it (?:a day|a night|quits)|leave it (?:there|here|at that)|wrap (?:this|"
            r"it) up|"
            r"finish (?:here|up)|stop (?:here|there))" + _FOR_NOW,
            r"(?:i(?:'?ll| will)|let me) (?:just )?(?:call|come|get|try|check|phone|ring|text|write|message|"
            r"contact you|"
            r"contact)(?: (?:you|in))?(?: back)?(?: to you)?(?: (?:again|later|tomorrow|another (?:time|day)|"
            r"some other time|soon|next week))+",
            r"(?:i(?:'?ll| will) )?be back(?: (?:later|soon|tomorrow))+",
        ),
    ),
    (
        "done",
        (
            r"(?:and |i think |i guess |i believe |i suppose )*(?:that|this|it)(?:'?s| is|'?ll be| will be| would be|"
            r"'?d be| was|s about|'?s about| should be) (?:pretty much )?(?:basically )?"
            r"(?:all|everything|it|about it|about all)(?: (?:really|folks))?(?=.*\b(?:i|we|for|today|now|thanks?|"
            r"thank)\b)" + _NEEDED + _FOR_NOW,
            r"(?:i have |i(?:'?ve) got |there(?:'?s| is) |there are |i got )?(?:no|not any|nothing)(?: (?:more|other|"
            r"further|additional))* (?:questions?|requests?|queries|enquiries|inquiries|concerns?|issues?|needs)"
            r"(?: (?:for (?:you|now|today)|at (?:the|this) (?:moment|time|point)|from me|left|more|thanks))*",
            r"i (?:don'?t|do not)(?: think i)? (?:have|need|require|want)(?: to (?:ask|know))? (?:any|anything|"
            r"nothing)(?: (?:more|other|further|else|additional))* ?(?:questions?|help|assistance|information|info|"
            r"requests?|things?)?"
            r"(?: (?:anymore|any more|else|more|from you|for now|today|right now|at the moment))*",
            r"nothing(?: (?:else|more|further|at all|really|at the moment))+(?: (?:i need|is needed|needed|"
            r"to (?:add|ask|"
            r"discuss)))?" + _FOR_NOW,
            r"(?:i(?:'?ve| have)?|we(?:'?ve| have)?) (?:already )?(?:got|gotten|have|found|received|know|finished|done|"
            r"asked|did) (?:everything|all|exactly what|what)(?: (?:of )?(?:the )?(?:info|information|answers?|help|"
            r"questions?))?"
            r"(?: (?:that )?(?:i|we) (?:needed|need|wanted|want|was looking for|came for|had to know))" + _FOR_NOW,
            r"(?:i think |i believe )?(?:you|u)(?:'?ve| have)? (?:done|answered|given me|provided|helped(?: me)? with|"
            r"covered|handled|told me|taken care of)(?: me)? (?:everything|all|all of it|all my questions|"
            r"all of my questions|what)(?: (?:that )?i(?:'?ve)? (?:\w+ )?"
            r"(?:asked|needed|wanted|need|want|asked for|needed to know))?" + _FOR_NOW,
            r"(?:that|this) (?:does|did) it(?: for me)?" + _FOR_NOW + r"|(?:that|this)(?:'?ll| will| should) (?:be all|"
            r"do it|be it|be everything)" + _NEEDED + _FOR_NOW,
            r"(?:i|we)(?:'?m|'?re| am| are) (?:all )?(?:done|finished|set|good|sorted)(?: for (?:the day|today|now|"
            r"tonight|the moment))+|no more(?: (?:for (?:now|today|me)|please|thanks|thank you))+",
            r"i(?:'?m| am) (?:out of|done with my) questions|(?:you(?:'?ve| have) )?answered (?:all )?my questions?|"
            r"all my questions (?:are|were|have been) answered|all questions answered",
        ),
    ),
    (
        "weak",
        (
            r"(?:and |i think |i guess |i believe |i suppose )*(?:that|this|it)(?:'?s| is|'?ll be| will be| would be|"
            r"'?d be| was) (?:pretty much )?(?:all|everything|it|about it|good|fine|ok|okay|alright)(?: folks)?"
            + _NEEDED,
            r"(?:i(?:'?m| am)|we(?:'?re| are)) (?:just )?(?:all )?(?:done|finished|set|good|fine|ok|okay|sorted|"
            r"alright|"
            r"covered)(?: here| thanks)?|all (?:done|set|good|sorted|finished)|(?:that|this)(?:'?ll| will) do|nothing|"
            r"none|not (?:today|now|right now|really|at the moment|at this time|for now)|"
            r"(?:that|it)(?:'?s| is| was) (?:all )?(?:settled|sorted|resolved|solved)|no more|88+6?|"
            r"enough(?: for (?:now|"
            r"today))?|(?:that|this|it)(?:'?s| is| was) enough"
            + _FOR_NOW
            + r"|i(?:'?ll| will) (?:stop|end)(?: (?:here|"
            r"there|now|for now))*|i think so",
        ),
    ),
    (
        "quit",
        (
            r"i (?:don'?t|do not|no longer)(?: (?:even|really))? (?:want|need|care about|feel like)(?: (?:it|this|that|"
            r"anything|to (?:do|buy|continue|order|book|proceed|go on|keep going|talk|chat|carry on|go ahead|"
            r"play)(?: (?:with )?(?:it|this|that|anything|you))?))?"
            r" ?(?:any ?more|anymore|any longer|now|after all|at all)",
            r"i no longer (?:want|need)(?: (?:it|this|that|anything))?|i (?:don'?t|do not) want (?:it|this|anything|"
            r"to (?:continue|go on|proceed|keep going|carry on)(?: with (?:this|it))?)",
            r"(?:i(?:'?m| am) )?(?:no longer interested|not interested (?:any ?more|in (?:this|it|"
            r"anything)(?: any ?more)?)|over (?:it|this)|done with (?:this|it|you|all (?:of )?this)|so done|out(?= *$)|"
            r"giving up)",
            r"(?:ok |okay |fine )?i (?:give up|quit(?= *$)|surrender)|(?:forget|scrap|screw|drop|cancel|"
            r"skip) (?:the whole (?:thing|idea)|(?:it |this )?all of (?:it|this)|all this|this whole thing)|"
            r"screw (?:it|"
            r"this|you)|to hell with (?:it|this)",
            r"(?:cancel|stop|forget|drop|end) everything(?=.*\b(?:done|bye|leaving|out|over|forget|never ?mind|"
            r"quit)\b)|"
            r"i(?:'?m| am) done(?=.*\b(?:cancel|forget|never ?mind)\b)|exit|quit|leave me alone|stop (?:bothering|"
            r"messaging|texting|contacting) me|end it",
            _ILL + r" (?:just )?(?:go|buy|shop|look|order|get it|take my business|find it|try|do it|"
            r"book)(?: it)?(?: (?:somewhere else|elsewhere|another (?:company|shop|store|place)|a competitor|"
            r"someplace else|with someone else))",
            r"(?:i(?:'?m| am) )?(?:going|taking my (?:business|money)) (?:elsewhere|somewhere else)",
        ),
    ),
    (
        "drop",
        (
            r"(?:oh |just |so |please )*(?:never ?mind|nvm|nevermined|forget (?:about )?(?:it|this)|forget that|"
            r"don'?t (?:bother|worry about (?:it|this|that))|don'?t mind|scratch that|leave it|drop it|let it go)"
            r"(?: (?:then|now|please|anyway|actually|for now|thanks|though|all))*",
        ),
    ),
    (
        "decline",
        (
            r"no(?:pe|o+|ne)?,? ?(?:thanks?|thank you|thankyou|thx|ty|need)(?: (?:you|so much|very much|a lot|"
            r"though|anyway|for now|again|at the moment))*|i(?:'?ll| will) pass|"
            r"i(?:'?d| would) rather not|(?:i(?:'?m| am) )?not interested|not necessary|not needed|"
            r"that won'?t be necessary|that(?:'?s| is) not necessary|no need",
        ),
    ),
    ("no", (r"no+(?: (?:sir|ma'?am|no|siree|not really|more))*|nope|nah+|naw|nay|not really|negative",)),
    ("yes", (r"yes|yep|yup|yeah|yea|sure|of course|absolutely|definitely|correct|confirm(?:ed)?",)),
    (
        "reason",
        (
            r"(?:" + _ILL + r"|" + _MUST + r"|i(?:'?d| would) rather|i can|i could|i(?:'?m| am)(?: just)?(?: going to|"
            r" gonna)?|i think i(?:'?ll| will)|i might|maybe i(?:'?ll| will))(?: (?:just|then|have to|need to|probably|"
            r"try to|rather|go|go and|try and))*"
            r" (?:call(?! me)|check|ask|talk|look|looking|find|try|do (?:it|this|that)|wait|come back|think|walk|"
            r"walking|"
            r"drive|handle|figure|sort|visit|go(?! (?:with|for))|going|contact|phone|manage|deal|see (?:if|what|about)|"
            r"save|use (?:my|another|something|a different)|work (?:it|something)|make other|shop|get (?:it|one|"
            r"something|a ride)|stay|skip|pass|leave it|text|email|speak|discuss|consult|stick|keep)\b.*",
            r"i (?:just |already |actually |'?ve |have )*(?:got|found|have|figured|remembered|changed my mind|"
            r"decided (?:not|against)|solved|fixed|sorted|managed|realised|realized|thought better|don'?t have|can'?t|"
            r"cannot|won'?t)\b"
            r"(?! (?:the |my |a |an )?(?:\w+ )?(?:number|code|id|card|password|pin|email|address|name|phone|question|"
            r"problem|issue))(?!.*\b(?:you|your|help|please)\b).*",
            r"(?:it|this|that|you|they|those|these|things|we)(?:'?s|'?re|'?ve)? ?(?:just |really |all )?(?:is|are|was|"
            r"will|would|does|doesn'?t|don'?t|isn'?t|aren'?t|can'?t|cannot|didn'?t|don'?t|won'?t|takes?|took|costs?|"
            r"not|"
            r"too|so|a|be|seems?|sucks?|useless|getting|going|keeps?)\b.*",
            r"(?:too|so|way too|not) (?:expensive|complicated|slow|difficult|much|long|many|hard|far|late|worth|"
            r"helpful|"
            r"useful|working)\b.*|waste of (?:my )?time|no time.*|useless|ridiculous|pointless|what a waste.*",
            r"(?:please )?(?:just )?cancel (?:everything|all|it all|all of it)|i changed my mind|on second thoughts?|"
            r"not (?:any ?more|now|today|this time)|maybe (?:later|next time|another time|some other time)|"
            r"another time|"
            r"some other time",
        ),
    ),
    (
        "pad",
        (
            r"(?:and |but |well |many |so |lots of )*(?:thank(?:s|ing)?|thx|thnx|ty|tks|thankyou)(?: (?:you|u|ya|so|"
            r"very|"
            r"much|a lot|a bunch|a million|a ton|loads|again|anyways?|kindly|though|all|heaps|guys))*"
            r"(?: for (?:you|your|the|all|all your|all the|being|everything|that|helping|taking|getting|asking|those|"
            r"this|these|letting|today|now|trying|nothing|doing)\b(?: (?!and\b|bye\b|goodbye\b|but\b|so\b|that'?s\b|"
            r"have\b|see\b|i\b)[a-z']+){0,20})?",
            r"(?:i )?(?:really |do |very much |so |greatly |truly )*appreciate(?: (?:it|that|this|you|your|the|all|"
            r"help|"
            r"time|assistance|so|much|everything))*|much (?:appreciated|obliged)|cheers|gracias|merci|danke|"
            r"(?:you(?:'?ve| have)|you|that|this|it|that'?s|it'?s|thats|its)(?: (?:was|were|is|are|been|have been|"
            r"has been))?(?: (?:a|so|very|really|super|such|most|quite|extremely|great|just))*(?: (?:great|good|"
            r"helpful|"
            r"wonderful|nice|kind|awesome|"
            r"amazing|perfect|lovely|fine|fun|too bad|ok|okay|alright|excellent|fantastic|useful|the best|cool|sweet|"
            r"right|big|huge))+(?: (?:help|job|work|service|info|information|news|then|bot|assistant|to know|to hear|"
            r"of you|today))*",
            r"(?:i )?(?:hope|wish|pray)\b(?!.*\b(?:you can|you could|you'?ll help)\b).*|not (?:too |so )?bad|"
            r"good (?:to (?:know|hear)|job|work|luck|bot|news)|you (?:did|do) (?:great|well|good|a \w+ job)|well done|"
            r"nice (?:job|work)|great (?:job|work|help|service|news)|(?:i )?love (?:it|this|that|you)|"
            r"my (?:\w+ )?(?:friend|dear|love|pal|buddy)|(?:dear|my|hey) (?:friend|bot|assistant)|(?:you|u) (?:too|"
            r"as well)|same to you|likewise",
            r"ok(?:ay|ey|ie|i)?|k|kk|alright|all ?right|right|well|oh+|ah+|aw+|um+|uh+(?: oh)?|hm+|so|then|just|"
            r"actually|"
            r"really|great|good|cool|perfect|awesome|nice|excellent|wonderful|fantastic|super|brilliant|lovely|sweet|"
            r"amazing|fine|wow|ha(?:ha)*|lol|sheesh|"
            r"geez|damn|ugh|meh|whatever|sorry|apologies|please|pls|man|dude|buddy|bro|mate|friend|pal|sir|madam|"
            r"ma'?am|"
            r"miss|guys|everyone|now|anyways?|for now|for today|today|again|though|too|also|and|but|or|hi|hello|hey|"
            r"fellow|bot|honey|dear|"
            r"i (?:guess|think|suppose|believe|see|know|understand|mean|don'?t know|dunno)|got (?:it|ya|you)|gotcha|"
            r"understood|noted|(?:it|that)'?s (?:ok|okay|fine)|no (?:worries|problem|prob|biggie)|too bad|at all|"
            r"instead|"
            r"here|there|in that case|in the meantime|yet|"
            r"pretty soon|very|much|as always|my bad|that|it|for me|from me",
        ),
    ),
)
