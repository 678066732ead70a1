"""The words of leaving, closing and asking for a person, zh and en, as tables of phrases.

Owns the phrases and nothing else; how they combine is `exits.py`. A phrase is a regular expression over one
normalised clause (lower case, no punctuation, see `protocol.normalize`). Rows are tried in order at each
place, so special ones stand before general ones. No phrase matches inside a word: English ones end at a
word's end, Chinese ones must leave nothing unexplained.

Kinds: `bye` (a farewell: strong), `done` (nothing more is wanted), `weak` (the same, but also an answer:
"that's it"), `quit` (gives the matter up: strong), `drop` ("never mind", 算了: an exit unless something else
is asked instead), `no`, `decline` ("no thanks", 不用了: depends on the question), `yes`, `reason` (why one
leaves: explains, does not decide), `pad` (courtesy).
"""

import re

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

_P = r"[啊呀哦噢呢哈啦喽咯呐嘛哟吧的~]*"
_WHO = (
    r"(?:[我咱]们?|[这那]边|我这[边里儿]?|暂时|目前|现在|已经|那|就|应该|好像|也|都|真的?|确实|基本上?|暂|没|今天|"
    r"大概|差不多)*"
)
_MORE = r"(?:其他|其它|别的|什么|啥|任何|更多|另外|再|其余|多余|想|要|需要|可|可以|能|还)*"
_VERBS = r"买|订|定|要|办|弄|搞|玩|聊|问|咨询|看|做|下单|需要|考虑|用|继续|查|说|预[订定约]|换|申请|参加|开通|选|谈|想"

ZH: Rows = (
    (
        "bye",
        (
            r"(?:那|就|我?先|好|嗯)*(?:再见|再会|拜拜了?您?嘞?|拜了?|白白|掰掰|88+6*|886+|８８|回见|回聊|下(?:次|"
            r"回)(?:再)?[见聊]|(?:改天|回头|以后|有空|明天|晚点|到时候?|后会有期|有缘)(?:再)?[见聊]|晚安|后会有期|告辞|"
            r"撒由那拉|古德拜)(?:[了啊呀哦噢啦喽咯吧您你哈]|先)*(?=$| |谢|感|祝)",
            r"(?:那|就|我|我们|好|得|要)*(?:先|得|要|该)(?:去)?(?:走|撤|溜|闪|下|下线|挂|忙|去忙|退|离开|睡|吃饭|上班|"
            r"休息)(?:了|啦|咯)+[啊哈哦]*(?=$| )|(?:我|那我?)(?:走|撤|溜|闪|下线|挂)(?:了|啦)(?=$| )|不(?:打扰|耽误|"
            r"麻烦)(?:[你您](?:们)?)?(?:了|啦)[啊哈哦]*|去忙了|[你您](?:先)?忙吧?(?=$| )",
            r"(?:祝|祝愿|愿)[你您](?:们)?.{0,12}(?:愉快|顺利|开心|快乐|生意兴隆|幸福|健康)" + _P,
            r"(?:请|那|就|我要|我想|帮我|可以)*(?:结束|关闭|退出|终止)(?:本次|这次|当前|这个|咱们的?|我们的?)?(?:对话|"
            r"会话|聊天|服务|通话|咨询|交谈)?(?:了|吧|啦)*(?=$| )",
        ),
    ),
    (
        "done",
        (
            _WHO + r"(?:没有?|木有|无|没啥|没什么)" + _MORE + r"(?:的)?(?:问题|疑问|疑惑|需要|需求|要求|事情?儿?|要问|"
            r"想问|问|想了解|要咨询|咨询|了解|可问|想说|帮助|帮忙)(?:的)?(?:[要想]?(?:问|咨询|了解|帮忙|说|"
            r"麻烦[你您]))?(?:的)?(?:了|啦|咯|喽)" + _P,
            _WHO + r"(?:没有?|木有|无)(?:其他|其它|别的|更多|另外)(?:的)?(?:什么|任何)?(?:问题|疑问|需要|需求|要求|"
            r"事情?儿?|要问|想问)" + r"(?:的)?(?:了|啦)?" + _P,
            _WHO + r"(?:没有?|没)(?:其他|其它|别的|更多|另外|啥)(?:的|什么)*(?:了|啦)" + _P + r"|" + _WHO + r"没(?:啥|"
            r"什么)?事(?:情|儿)?(?:了|啦)" + _P,
            _WHO + r"(?:我的?|所有的?|全部)?(?:问题|疑问|事情?儿?|要问的|想问的|该问的|需求|需要的)?(?:已经|都|全|也|"
            r"全都|就)*(?:问|办|解决|处理|了解|咨询|清楚|弄|搞|知道|明白|说)(?:完|好|定|清楚|明白|齐|完毕)(?:了|啦)"
            + _P,
            r"(?:我的?|所有的?)?(?:问题|疑问|事情?)(?:已经|都|全|也)*(?:解决|处理|问完|清楚)(?:了|啦)" + _P + r"|"
            r"不(?:再)?(?:需要|用)(?:其他|其它|别的|更多|什么|任何)+(?:的)?(?:帮助|服务|信息|了)*" + _P,
            r"(?:我|那|就|今天|暂时|目前)*(?:先)?(?:到此为止|到这[里儿]?|聊到这[里儿]?|问到这[里儿]?|问这么多|问这些|"
            r"了解这么多|了解到这)(?:了|吧|啦)*",
            r"不(?:用|需要|再)*(?:继续)?(?:玩|答|测|做题)(?:了|啦)" + _P,
        ),
    ),
    (
        "weak",
        (
            r"(?:那|就|好|行|我|今天|暂时|目前|先|嗯)*(?:先|就)(?:这样|这些|这么多|这么着|酱紫?|酱)(?:了|吧|啦|哈)*|"
            r"(?:那|我|暂时|目前|现在|已经|都|也|这边)*(?:没有|没|木有|没啥|没什么)(?:别的|其他)?(?:了|啦|咯|喽)" + _P,
            _WHO
            + r"(?:没有?|木有)(?:什么|任何|啥)?(?:问题|疑问|需要|要问的?)"
            + _P
            + r"|(?:没|没有)"
            + _P
            + r"(?=$| )|"
            r"差不多了",
        ),
    ),
    (
        "quit",
        (
            r"(?:算了|那|那就|就|我|我们|还是|真的|真|现在|已经|暂时|先|以后|都|也|突然|决定|打算|干脆|完全|这次|那我|"
            r"反正|东西|什么都)*不(?:想|打算|准备|愿意)?(?:再)?(?:买|订|定|要|办|弄|搞|玩|聊|问|咨询|做|下单|考虑|继续|"
            r"说|预[订定约]|申请|参加|谈|看)(?:东西|它|任务|下去)?(?:了|啦)" + _P + r"|不(?:买|聊|玩|谈|干)(?:了|啦)",
            r"(?:我|那|还是|就|那就|我还是|算了)*(?:放弃|作罢|拉倒|不干|没兴趣|不感兴趣)(?:了|吧|啦)*|(?:我)?(?:对此?|"
            r"对这个?)?(?:已经|完全|真的)?(?:没有?|不感)兴趣(?:了|啦)?|别(?:再)?(?:烦我|问我?|发|联系我|打扰我)(?:了|"
            r"啦)?|(?:我要)?退出(?=$| )|不(?:想|愿意?)(?:再)?(?:继续|聊|说|谈|搞|弄|问|买)(?:下去)?(?:了|啦)?(?=$| )",
            r"(?:我)?(?:还是)?去(?:别家|别处|别的(?:地方|店|平台)|其他(?:地方|店|平台|家))(?:看看?|买|问问?|订|找|"
            r"了|吧)*",
        ),
    ),
    (
        "drop",
        (
            r"(?:那|那就|就|哎|唉|嗯|好吧|还是|我看|呃|我|真的)*(?:算了|算啦|罢了|免了|拉倒|当我没[说问]|没必要|不必了|"
            r"算逑|算球)(?:算了|罢了|[了吧啦啊哈呗])*(?!一下|半天|下)",
            r"(?:那|那就|就|我|还是)*(?:以后|改天|下次|回头|有空|晚点|过[几两]天|等等|之后)(?:有(?:需要|机会|"
            r"空))?(?:再)?(?:说|看|联系|来|问|买|考虑|聊|弄|办)(?:吧|啦|了)+|(?:那|还是)*(?:下次|改天|再说)吧",
        ),
    ),
    (
        "decline",
        (
            r"(?:暂时|目前|现在|那|就|都|还是|我|真的|先|已经|应该)*(?:不用|不需要|不必|不了|不要|用不着|不需|"
            r"不麻烦)(?:了|啦|麻烦[你您]?)*" + _P + r"(?=$| |谢|多|感)",
        ),
    ),
    ("no", (r"(?:没有|没|不|否|不是|不要|不用|不需要|不想)" + _P + r"(?=$| )",)),
    ("yes", (r"确[认定]|是的?|对的?|下单|可以的?(?=$)",)),
    (
        "reason",
        (
            r"(?:实在|真的|真|也|还是|都|感觉|觉得|你们|价格|这|这个)*(?:太|有点|有些|好|真|这么|挺|过于|不太|不)(?:贵|"
            r"麻烦|慢|复杂|远|久|难|繁琐|合适|划算|方便|值|多|高|晚|急|靠谱|满意|行)(?:了|啦|的)*",
            r"(?:那|那就|就|还是|等|我们?)*(?:自己|再|去|改天|下次|以后|回头|考虑|想想|看看|商量|比较|逛逛|找别|去别|"
            r"换一?家|过[几两]天|有空|有需要|晚点|之后)(?:.{0,14})",
            r"(?:我|你们?|这|也|都|根本|实在|真是?|现在|反正|简直)*(?:没有?|没|不)(?:时间|空|钱|必要|兴趣|办法|合适的?|"
            r"耐心|心情|预算|想要的|我要的|诚意|意思|想法|着急|急|方便|喜欢|会|懂|行|知道|用|想|需要|值得?)(?:.{0,6})",
            r"(?:浪费|白费|耽误|真|太|什么)(?:.{0,10})",
        ),
    ),
    (
        "pad",
        (
            r"(?:那|真的?|实在|还是|不过|总之|但|也|好|我|再次|再|先|谢|太|很|非常|十分|特别|万分|真是)*(?:谢谢|多谢|"
            r"感谢|谢|谢过|感激|3q|thanks|thank you|thx)(?:了|啦|啊|哈|哦|呀|噢|您|你|们|您的|你的|大家|客服|亲|帮助|"
            r"推荐|查询|解答|耐心|服务|回复|帮忙|告知|提醒|介绍|指导|这么|热心|细心|详细|的|小姐姐|小哥哥|建议|信息)*"
            r"(?:(?:为|给|帮)我.{0,12})?",
            r"(?:辛苦|麻烦|劳烦|打扰|有劳|费心)(?:[你您](?:们)?)?(?:了|啦|哈|喽)+[啊哈哦]*|不(?:客气|好意思)(?:了|啊|"
            r"哈)*|抱歉|对不起|没关系|没事(?:儿)?(?=$| |的)|[你您](?:也)?(?:太|真|很)?(?:好|棒|厉害|热情|贴心|专业|"
            r"给力|"
            r"耐心)(?:了|啦|的)*|帮(?:了)?(?:我)?(?:大|很大的?)忙(?:了)?|"
            r"(?:我)?(?:已经|都|全|大概|基本|大致)*(?:知道|明白|了解|清楚|懂|收到|记下|记住|晓得|看到|记)(?:了|啦|咯|"
            r"喽)" + _P,
            r"(?:好|行|嗯|恩|哦|噢|喔|啊|呀|哈|嘿|哎|诶|唉|ok|okay|对|是|中|成|可以|可|得|欧|喂|呃|额|那|呢|吧|啦|"
            r"了|的|"
            r"嘞|滴|哒|吗?哟|嘛|太好|真好|不错|挺好|很好|非常好|太棒|真棒|厉害|完美|满意|放心|没错|原来如此|这样|就|"
            r"就是|"
            r"先|还是|但|但是|不过|也|总之|反正|其实|所以|然后|最后|今天|暂时|目前|真的?|亲|您|你好|您好|客服|朋友|"
            r"小姐姐|这边|收到|明白|了解|知道|懂)" + _P,
            r"(?:那)?(?:就)?(?:这么|这样)?(?:定|决定|说定|安排|办)(?:了|吧|啦)+",
        ),
    ),
)


def _compile(rows: Rows, end: str) -> re.Pattern[str]:
    """One pattern, a group per kind. Repeats are bounded, so that no text makes overlapping leads backtrack for "
    "long."""
    pattern = "|".join(f"(?P<{kind}>(?:{'|'.join(phrases)}){end})" for kind, phrases in rows)
    return re.compile(pattern.replace(")*", "){0,6}"))


ENGLISH = _compile(EN, r"(?![a-z0-9'])")
CHINESE = _compile(ZH, "")
