{% extends "header.h" %}
{% from "layers.h" import kept, layers_of %}
{% block what %}a model{% endblock %}
{% block reads %}int left, const signed char *squares, const int *counts{% endblock %}
{% block about %}
   `left`: {{ left }}, 0 to {{ game.most_left }}.
   `squares`: the content of each of the {{ board.squares | length }} squares, row by row from the top, seen from the
   side to move: {{ contents | comment }}. X is the side to move, also where O moves by the game's rules.
   Some games, such as checkers, turn the board for the second player.
   `counts`: {{ columns | join(", ") | comment or "not used: pass NULL" }}.{{ meanings }}
{% endblock %}
{% block score %}
    int places[{{ instances }}];
    float score;
    long total;
    const short *weights;
    (void)counts;
    left = {{ kept("left", game.most_left) }};
    total = {{ name }}_bias[left];
    weights = {{ name }}_weights[left];
    for (int i = 0; i < {{ instances }}; i++) {
        int number = 0;
        for (int k = {{ longest }} - 1; k >= 0; k--)
            if ({{ name }}_squares[i][k] >= 0)
                number = {{ board.contents | length }} * number + squares[{{ name }}_squares[i][k]];
        places[i] = {{ name }}_starts[i] + number;
        total += weights[places[i]];
    }
{% for start, values in tables %}
    {
        int cell = 0, at;
{% for column, low, size in values %}
        at = counts[{{ column }}] - ({{ low }});
        cell = cell * {{ size }} + ({{ kept("at", size - 1) }});
{% endfor %}
        total += weights[{{ start }} + cell];
    }
{% endfor %}
    score = (float)total / {{ unit }}f;
{% if layers %}
    const float *numbers = {{ name }}_layers[left * {{ stages }} / {{ game.most_left + 1 }}];
    float added, values_0[{{ layers.widths[0] }}];
    for (int u = 0; u < {{ layers.widths[0] }}; u++) {
        long sum = 0;
        for (int i = 0; i < {{ instances }}; i++)
            sum += {{ name }}_rows[places[i]][u];
        values_0[u] = {{ name }}_row_biases[left][u] + (float)sum;
        if (values_0[u] < 0)
            values_0[u] = 0;
        if (values_0[u] > {{ name }}_ceilings[u])
            values_0[u] = {{ name }}_ceilings[u];
    }
{{ layers_of(layers, "float", activated) }}
    added = values_{{ layers.pairs | length }}[0];
    if (added < -{{ name }}_limit[0])
        added = -{{ name }}_limit[0];
    score += added > {{ name }}_limit[0] ? {{ name }}_limit[0] : added;
{% endif %}
    return score;
{% endblock %}
